export { eraseDecided, findExpired, findUndecided, latestOf } from './erase.ts';
export { backtest, type Backtest, type CellName, type Compared, withHistory } from './backtest.ts';
export { findUnlikeRows } from './compare-rows.ts';
export { type DecisionSettings, decisionSchema } from './config.ts';
export { countDisagreements, type Disagreement, listDisagreements } from './disagreements.ts';
export { judge } from './evidence.ts';
export {
  activatePolicy,
  approvePolicy,
  keptPolicy,
  keptPolicyTexts,
  PoliciesInForce,
  type PolicyChangeRow,
  policyChanges,
  policyInForce,
  proposePolicy,
  rejectPolicy,
  shadowPolicy,
} from './policies.ts';
export { rebuildDecisions } from './rebuild.ts';
export { type LoggedDecision, Rederivation } from './rederive.ts';
export { replay } from './replay.ts';
export { policyOperations, rejectionReason } from './routes.ts';
export { decisionMigrations } from './migrations.ts';
export { startDecision } from './service.ts';
export { findForgotten, takeOverDecisions } from './take-over.ts';
export {
  countDecisions,
  countHeldWithoutEvidence,
  countWithoutEvidence,
  readHeld,
  type Selection,
  type StoredDecision,
} from './stored.ts';
