export { type WithdrawalGateSettings, withdrawalGateSchema } from './config.ts';
export { gateMigrations } from './migrations.ts';
export { closeIfForgotten } from './journal/restore.ts';
export { type PermitsOutcome, reconcilePermits } from './reconcile.ts';
export { rebuildWithdrawals } from './rebuild.ts';
export { permitOperations } from './routes/permits.ts';
export { withdrawalOperations } from './routes/withdrawals.ts';
export { startWithdrawalGate } from './service.ts';
export { checkPermitKeys } from './permits/check.ts';
