export { importFacts, type ImportOptions } from './facts/import-facts.ts';
export { ImportConflict, type ImportRun, listImports } from './facts/import-runs.ts';
export { type Loaded, loadLabels, loadTransfers } from './facts/load.ts';
export { createRiskStore } from './facts/store.ts';
export {
  createApiKey,
  listApiKeys,
  type NewKey,
  revokeApiKey,
  sandboxPlan,
  storeApiKey,
  type StoredKey,
  type Surface,
} from './keys/keys.ts';
export { riskApiMigrations, riskApiModule } from './migrations.ts';
export { createRiskApi, defaultSettings, type RiskApi, type RiskApiDependencies, type RiskApiSettings } from './service.ts';
export { riskApiSchema } from './config.ts';
export type { PaymentState } from './pay/states.ts';
export { listPayments, type PaymentView } from './pay/list.ts';
export { reconcilePayments } from './pay/reconcile.ts';
