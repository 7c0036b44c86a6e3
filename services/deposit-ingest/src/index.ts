export { type DepositIngestSettings, depositIngestSchema } from './config.ts';
export { startDepositIngest } from './service.ts';
