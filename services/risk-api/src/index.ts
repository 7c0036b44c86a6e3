export { importChainRecords, type ImportOptions } from './chain-store/import-records.ts';
export { ImportConflict, type ImportRun, listImports } from './chain-store/import-runs.ts';
export { type Loaded, loadLabels, loadTransfers } from './chain-store/load.ts';
export { createRiskStore } from './chain-store/store.ts';
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
