import type { components } from '@weir/client';

/** Generated from the description of the API. Nothing of the client becomes part of the pages. */
type Schemas = components['schemas'];

export type ScreeningView = Schemas['Screening'];
export type DecisionView = Schemas['Decision'];
export type ExposureView = Schemas['Exposure'];
export type ScoreGrounds = Schemas['ScoreGrounds'];
export type LevelName = ScoreGrounds['counterfactuals'][number]['risk_level'];
export type ReviewView = Schemas['Review'];
export type ReviewDetail = Schemas['ReviewDetail'];
export type CaseSummary = Schemas['Case'];
export type CaseDetail = Schemas['CaseDetail'];
export type AttachmentView = Schemas['Attachment'];
export type ResolutionView = Schemas['Resolution'];
export type StatisticsView = Schemas['Statistics'];
export type AddressView = Schemas['Address'];
export type AnalysableChain = Schemas['AnalysableChain'];
export type AnalysedScore = Schemas['AnalysedScore'];
export type AddressProfile = Schemas['AddressProfile'];
export type AddressTransfers = Schemas['AddressTransfers'];
export type AddressTrace = Schemas['AddressTrace'];
export type BudgetView = Schemas['Budget'];
export type ProvidersView = Schemas['Providers'];
export type UserView = Schemas['User'];
export type SessionView = Schemas['Session'];
export type AuditEntryView = Schemas['AuditEntry'];
export type DeliveryView = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type DeadLetterView = Schemas['DeadLetter'];
export type DeadLetterDetail = Schemas['DeadLetterDetail'];
export type TokenView = Schemas['Token'];
export type LiveSessionView = Schemas['LiveSession'];
export type ProcessSettingsView = Schemas['ProcessSettings'];
export type LabelView = Schemas['Label'];
export type LabelSourcesView = Schemas['LabelSources'];
export type LabelChangeView = Schemas['LabelChange'];
export type LabelRequestView = Schemas['LabelRequest'];
export type PoliciesView = Schemas['Policies'];
export type PolicyProposalView = Schemas['PolicyProposal'];
export type PolicyView = Schemas['Policy'];
export type PolicyDifference = Schemas['PolicyDifference'];
export type PolicyCheckView = Schemas['PolicyCheck'];
export type BacktestView = Schemas['Backtest'];
export type VelocityView = Schemas['Velocity'];
export type DisagreementsView = Schemas['ShadowDisagreements'];
export type ChainFreshnessView = Schemas['ChainFreshness'];
export type GroupRolesView = Schemas['GroupRoles'];
export type SavedView = Schemas['SavedView'];
export type PartHealthView = Schemas['PartHealth'];
export type KnownPersonView = Schemas['KnownPerson'];
export type ActView = Schemas['Act'];
export type Totals = Pick<UserView['held'], 'count' | 'usd' | 'unknown_usd'>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}
