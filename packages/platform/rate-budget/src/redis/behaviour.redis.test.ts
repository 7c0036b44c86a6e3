import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { connectRedis } from '@weir/redis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { startRedis, type TestRedis } from '../../../../../test/support/stack/redis.ts';
import { describeRateBudget } from '../behaviour.ts';
import { type RedisBudget, redisBudget, rateBudgetMigrations } from '../index.ts';

let database: TestDatabase;
let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), startRedis({ own: true })]);
  await migrate(database.pool, 'rate-budget', rateBudgetMigrations);
  redis = await connectRedis({ url: server.url, clock: systemClock });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await database.drop();
});

describeRateBudget(
  'Redis',
  async (time) => {
    // Neither store may know the names.
    await Promise.all([server.flushAll(), database.pool.query('TRUNCATE budget.upstreams')]);
    const opened: RedisBudget[] = [];
    return {
      open: (name, limits) => {
        const budget = redisBudget({ redis, pool: database.pool, name, limits, now: () => time.now });
        opened.push(budget);
        return budget;
      },
      close: async () => {
        await Promise.all(opened.map((budget) => budget.settled()));
      },
    };
  },
  15,
);
