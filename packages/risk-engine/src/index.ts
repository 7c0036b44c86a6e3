export { type AddressFacts, assess, scoreAddress } from './address.ts';
export { combine, type Contribution, type Finding, type Level, levelOf, levels } from './combine.ts';
export { type Assessment, type Coverage, detailOrder, type Exposure, unknown } from './result.ts';
export type { Counterparties, Counterparty, Flow, Label, Leg, RiskStore } from './store.ts';
export { type Direction, scoreTransaction } from './transaction.ts';
export { canonicalCategory, categoryNames, type RiskType, riskTypes } from './weights.ts';
