export { endLabels, importChainRecords, loadLabels, loadTransfers, withdrawLabels } from './score-changes/imports.ts';
export {
  createApiKey,
  listApiKeys,
  type NewKey,
  revokeApiKey,
  defaultPlan,
  storeApiKey,
  type StoredKey,
  type KeySurface,
} from './keys/keys.ts';
export { closedRiskApp } from './http/closed-app.ts';
export { applyLabelRequests, keepRequestsApplied } from './score-changes/label-requests.ts';
export { keepListsFresh, type KeepFreshOptions, whileLocked } from './lists/keep-fresh.ts';
export { type ListHealth, readListHealth } from './lists/metrics.ts';
export { enabledLists, listNamed, withUrl } from './lists/settings.ts';
export { listJob, syncList, type SyncedList } from './lists/sync-list.ts';
export { migrateRiskApi, riskApiMigrations, riskApiModule } from './schema/migrations.ts';
export { createRiskApi, type RiskApi, type RiskApiDependencies } from './service.ts';
export { defaultSettings, riskApiSchema, type RiskApiSettings } from './config.ts';
export { checkPaySettings, reconcilePayments } from './payments/load.ts';
export type { PaymentState } from './payments/ledger.ts';
export { listPayments, type PaymentView } from './payments/list.ts';
