import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { connectRedis } from '@weir/redis';
import type { BudgetLimits, RateBudget } from './budget.ts';
import { postgresBudget } from './postgres.ts';
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
  /** Whether Redis is away: then nothing is granted. Answers within a second; never true without Redis. */
  isRedisAway(): Promise<boolean>;
  /** Before the pool is closed. */
  close(): Promise<void>;
}

/** The budget of this tier: on Redis when there is one, else on PostgreSQL. Rejects with `RedisError` when that Redis is away or will not do. */
export async function openBudget({ redisUrl, clock, onError, ...options }: OpenBudgetOptions): Promise<OpenBudget> {
  if (redisUrl === undefined || redisUrl === '') {
    return { ...postgresBudget(options), isRedisAway: async () => false, close: async () => undefined };
  }
  const redis = await connectRedis({ url: redisUrl, clock, ...(onError && { onError }) });
  const budget = redisBudget({ ...options, redis });
  return {
    ...budget,
    // Also while it loads its data, or cannot write its files.
    isRedisAway: () =>
      redis.ping().then(
        () => false,
        () => true,
      ),
    close: async () => {
      await budget.settled();
      redis.disconnect();
    },
  };
}
