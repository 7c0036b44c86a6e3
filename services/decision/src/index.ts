export { type DecisionSettings, decisionSchema } from './config.ts';
export { startDecision } from './service.ts';
