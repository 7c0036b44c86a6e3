export { RiskClient } from './client.ts';
export type {
  CreateAnswer,
  Operation,
  QueryAnswer,
  Refusal,
  RiskClientOptions,
  RiskExposure,
  RiskLevel,
  RiskResult,
  Target,
  Unavailable,
} from './types.ts';
