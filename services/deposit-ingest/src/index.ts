export { type DepositIngestSettings, depositIngestSchema } from './config.ts';
export { intakeMigrations } from '@weir/intake';
export { startDepositIngest } from './service.ts';
