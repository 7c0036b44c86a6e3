export { type WithdrawalGateSettings, withdrawalGateSchema } from './config.ts';
export { gateMigrations } from './migrations.ts';
export { rebuildWithdrawals } from './rebuild.ts';
export { startWithdrawalGate } from './service.ts';
export { checkPermitKeys } from './permits/check.ts';
