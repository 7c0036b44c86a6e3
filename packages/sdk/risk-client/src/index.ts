export { readEvidence } from './answer.ts';
export { RiskClient } from './client.ts';
export { followTask, type Followed, type FollowOptions } from './follow.ts';
export {
  type Final,
  type Meaning,
  meaningOf,
  meaningOfRefusal,
  type ReadingOptions,
  type Retry,
  retryDelayMs,
  type RetryReason,
  type Task,
} from './meaning.ts';
export type { AddressOverview, ApiStatus, OverviewAnswer, StatusAnswer } from './overview.ts';
export type { ReportAnswer } from './report.ts';
export type { AddressTrace, ByMethod, MoneyTrace, TraceAnswer, TraceHop, TraceMethod, TraceOf, TraceTerminal } from './trace.ts';
export type {
  ActionShare,
  ActionsAnswer,
  AddressOf,
  Clock,
  Contradiction,
  CounterpartiesAnswer,
  CounterpartyUnit,
  CreateAnswer,
  DepositTarget,
  Fetch,
  FetchedResponse,
  LabelClaim,
  LabelsAnswer,
  Operation,
  PriceAnswer,
  QueryAnswer,
  ReadinessAnswer,
  Refusal,
  RiskClientOptions,
  RiskExposure,
  RiskHop,
  RiskLevel,
  RiskResult,
  RiskSummary,
  SandboxTarget,
  ScoreChange,
  ScoreChangesAnswer,
  StartAnswer,
  SummaryAnswer,
  Target,
  TargetsAnswer,
  TransfersAnswer,
  TransfersOf,
  Unavailable,
} from './types.ts';
