export { type WithdrawalGateSettings, withdrawalGateSchema } from './config.ts';
export { rebuildWithdrawals } from './rebuild.ts';
export { gateMigrations } from './schema.ts';
export { startWithdrawalGate } from './service.ts';
export { checkPermitKeys } from './permits/check.ts';
