export { type Reservation, type BudgetLimits, type Grant, type Lane, lanes, type RateBudget, type Remaining } from './budget.ts';
export { type Ask, type BudgetState, decide, emptyState } from './decide.ts';
export { LaneScheduler } from './lane-scheduler.ts';
export { memoryBudget, MemoryBudgetState } from './memory.ts';
export { rateBudgetMigrations } from './migrations.ts';
export { type OpenBudget, openBudget, type OpenBudgetOptions } from './open-budget.ts';
export { PacedSender, type PacedSenderOptions, type Sent } from './paced-sender.ts';
export { postgresBudget } from './postgres.ts';
export { type RedisBudget, redisBudget, type RedisBudgetOptions } from './redis/redis-budget.ts';
