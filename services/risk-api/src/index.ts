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
export { migrateRiskApi, riskApiMigrations, riskApiModule } from './schema/migrations.ts';
export { createRiskApi, type RiskApi, type RiskApiDependencies } from './service.ts';
export { defaultSettings, riskApiSchema, type RiskApiSettings } from './config.ts';
export { checkPaySettings, reconcilePayments } from './payments/load.ts';
export type { PaymentState } from './payments/ledger.ts';
export { listPayments, type PaymentView } from './payments/list.ts';
