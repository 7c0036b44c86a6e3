export { type WithdrawalGateSettings, withdrawalGateSchema } from './config.ts';
export { startWithdrawalGate } from './service.ts';
export { checkPermitKeys } from './permits/check.ts';
