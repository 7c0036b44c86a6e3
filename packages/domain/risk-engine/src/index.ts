export { scoreAddress } from './address.ts';
export { compare, type Contribution, type Level, levelOf, levels } from './combine.ts';
export type { ScoreOptions } from './assess.ts';
export { addFlows, beyond, noFlow, shareOf } from './flow.ts';
export { countedLabels, worstFirst } from './labels.ts';
export { type Contradiction, weighLabels } from './weigh-labels.ts';
export { type Assessment, type Counterfactual, type Coverage, detailOrder, type Exposure, type SideSummary, unknown } from './result.ts';
export type {
  Counterparty,
  Flows,
  Flow,
  History,
  HistoryBounds,
  HistoryRequest,
  Label,
  Holding,
  Leg,
  Movement,
  RiskStore,
  VaultShare,
  Side,
} from './store.ts';
export { type Direction, scoreTransaction } from './transaction.ts';
export { DisjointSets } from './clusters/disjoint-sets.ts';
export { type MemberLabel, sharedCategories, sharedLabels } from './clusters/shared-labels.ts';
export { categoryFault, nearestCategory } from './categories.ts';
export {
  attribution as attributionRules,
  accusingCategories,
  canonicalCategory,
  clusterWeights,
  categoryNames,
  isKnownCategory,
  isSuspicion,
  knownCategories,
  type RiskType,
  riskTypes,
  sanctionCategories,
  serviceCategories,
  sideWeights as scoringRules,
  weightOf,
} from './weights.ts';
export { type Carried, type TraceMethod, type TraceStart } from './tracing/carried.ts';
export { fifo } from './tracing/fifo.ts';
export { haircut } from './tracing/haircut.ts';
export { type Ledger, ledgerOf, type TraceDirection, type TracedPayment } from './tracing/ledger.ts';
export { poison } from './tracing/poison.ts';
export { MovementSet } from './attribution/movement-set.ts';
export { inTimeOrder } from './attribution/order.ts';
export { type TraceOptions, traceMoney } from './tracing/trace.ts';
export {
  type ByMethod,
  type MoneyTrace,
  terminalKinds,
  type Terminal,
  type TraceHop,
  type TraceMethodName,
  traceMethods,
} from './tracing/result.ts';
