import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { BudgetLimits, RateBudget } from './budget.ts';
import { postgresBudget } from './postgres.ts';
import { connectRedis } from './redis/connection.ts';
import { redisBudget } from './redis/redis-budget.ts';

export interface OpenBudgetOptions {
  /** Empty or undefined: the budget is kept in PostgreSQL alone. */
  readonly redisUrl?: string | undefined;
  /** Its database has had `rateBudgetMigrations`. */
  readonly pool: Pool;
  /** Of the upstream and its key; all who give the same name share one budget. */
  readonly name: string;
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  /** Told of faults of the connection to Redis, which is opened again by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface OpenBudget extends RateBudget {
  /** Before the pool is closed. */
  close(): Promise<void>;
}

/** The budget of this tier: on Redis when there is one, else on PostgreSQL. Rejects with `RedisError` when that Redis is away or will not do. */
export async function openBudget({ redisUrl, clock, onError, ...options }: OpenBudgetOptions): Promise<OpenBudget> {
  if (redisUrl === undefined || redisUrl === '') return { ...postgresBudget(options), close: async () => undefined };
  const redis = await connectRedis({ url: redisUrl, clock, ...(onError && { onError }) });
  const budget = redisBudget({ ...options, redis });
  return {
    ...budget,
    close: async () => {
      await budget.settled();
      redis.disconnect();
    },
  };
}
