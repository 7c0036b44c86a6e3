export type { ProviderLimits, RiskProvider } from './port.ts';
export { specifiedProvider } from './specified.ts';
