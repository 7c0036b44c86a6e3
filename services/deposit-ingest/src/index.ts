export { type DepositIngestSettings, depositIngestSchema } from './config.ts';
export { intakeMigrations, rebuildRequests } from '@weir/intake';
export { rebuildDeposits } from './rebuild.ts';
export { depositOperations } from './routes.ts';
export { startDepositIngest } from './service.ts';
export { watchedOperations } from './watched-routes.ts';
export { customerId, unwatch, watch } from './watch.ts';
