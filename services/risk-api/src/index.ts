export { importFacts, type ImportOptions } from './facts/import-facts.ts';
export { ImportConflict, type ImportRun, listImports } from './facts/import-runs.ts';
export { type Loaded, loadLabels, loadTransfers } from './facts/load.ts';
export { createRiskStore } from './facts/store.ts';
export {
  createApiKey,
  listApiKeys,
  type NewKey,
  revokeApiKey,
  defaultPlan,
  storeApiKey,
  type StoredKey,
  type Surface,
} from './keys/keys.ts';
export { riskApiMigrations, riskApiModule } from './migrations.ts';
export { migratePostgresQueue } from './tasks/queue-postgres.ts';
export { createRiskApi, defaultSettings, type RiskApi, type RiskApiDependencies, type RiskApiSettings } from './service.ts';
export { ageWords, type ChainData, type ChainDataStatus, readChainData } from './chain-data/status.ts';
export { riskApiSchema } from './config.ts';
export { checkPaySettings } from './pay/check.ts';
export type { PaymentState } from './pay/states.ts';
export { listPayments, type PaymentView } from './pay/list.ts';
export { reconcilePayments } from './pay/reconcile.ts';
