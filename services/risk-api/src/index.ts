export { importChainRecords, loadLabels, loadTransfers } from './changes/imports.ts';
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
export { migrateRiskApi, riskApiMigrations, riskApiModule } from './migrations.ts';
export { migratePostgresQueue } from './tasks/queue-postgres.ts';
export { createRiskApi, defaultSettings, type RiskApi, type RiskApiDependencies, type RiskApiSettings } from './service.ts';
export { riskApiSchema } from './config.ts';
export { checkPaySettings } from './pay/check.ts';
export type { PaymentState } from './pay/states.ts';
export { listPayments, type PaymentView } from './pay/list.ts';
export { reconcilePayments } from './pay/reconcile.ts';
