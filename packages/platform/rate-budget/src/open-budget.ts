import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { connectRedis } from '@weir/redis';
import type { BudgetLimits, RateBudget } from './budget.ts';
import { postgresBudget } from './postgres.ts';
import { redisBudget } from './redis/redis-budget.ts';

export interface OpenBudgetOptions {
  /** Empty or undefined: PostgreSQL alone. */
  readonly redisUrl?: string | undefined;
  /** Its database must have `rateBudgetMigrations`. */
  readonly pool: Pool;
  /** One per upstream and key; callers with the same name share a budget. */
  readonly name: string;
  readonly limits: BudgetLimits;
  readonly clock: Clock;
  /** Receives Redis connection errors; the client reconnects by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface OpenBudget extends RateBudget {
  /** While Redis is unavailable nothing is granted. Answers within a second; never true without Redis. */
  isRedisAway(): Promise<boolean>;
  close(): Promise<void>;
}

/** The budget on Redis if configured, else on PostgreSQL. Rejects with `RedisError` if Redis is unavailable or unsuitable. */
export async function openBudget({ redisUrl, clock, onError, ...options }: OpenBudgetOptions): Promise<OpenBudget> {
  if (redisUrl === undefined || redisUrl === '') {
    return { ...postgresBudget(options), isRedisAway: async () => false, close: async () => undefined };
  }
  const redis = await connectRedis({ url: redisUrl, clock, ...(onError && { onError }) });
  const budget = redisBudget({ ...options, redis });
  return {
    ...budget,
    // Also while Redis loads its data or cannot write its files.
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
