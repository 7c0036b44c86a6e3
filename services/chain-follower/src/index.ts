export { type FollowerSettings, type FollowPlan, chainFollowerSchema, followPlans } from './config.ts';
export { startChainFollower } from './service.ts';
