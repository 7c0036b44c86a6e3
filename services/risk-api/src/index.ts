export { type Loaded } from './facts/batches.ts';
export { type LabelRow, loadLabels } from './facts/load-labels.ts';
export { loadTransfers, type TransferRow } from './facts/load-transfers.ts';
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
