import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { connectRedis } from '@weir/redis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../../../test/support/stack/redis.ts';
import { redisBudget, rateBudgetMigrations } from '../index.ts';
import { expectSameAnswers } from '../same-answers.testing.ts';
import { BudgetScript } from './script.ts';

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

test('the script gives the same answers as the pure function, bit for bit', () =>
  expectSameAnswers({
    open: (name, limits, now) => redisBudget({ redis, pool: database.pool, name, limits, now }),
    stored: async (name) => {
      const looked = await new BudgetScript(redis, name, { perSecond: 1, perDay: 1 }, () => undefined).look();
      return looked.kind === 'state' ? { tat: looked.state.tat, log: looked.state.log } : undefined;
    },
  }));
