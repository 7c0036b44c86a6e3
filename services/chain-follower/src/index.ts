export { type FollowerSettings, chainFollowerSchema, followPlans } from './config.ts';
export { startChainFollower } from './service.ts';
