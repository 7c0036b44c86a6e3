import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRateBudget } from './behaviour.ts';
import { postgresBudget, rateBudgetMigrations } from './index.ts';
import { expectSameAnswers } from './same-answers.testing.ts';

describeRateBudget(
  'PostgreSQL',
  async (time) => {
    const database = await createTestDatabase();
    await migrate(database.pool, 'budget', rateBudgetMigrations);
    return {
      open: (name, limits) => postgresBudget({ pool: database.pool, name, limits, now: () => time.now }),
      close: () => database.drop(),
    };
  },
  15,
);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.pool, 'budget', rateBudgetMigrations);
});
afterAll(() => database.drop());

test('the SQL gives the same answers as the pure function, bit for bit', () =>
  expectSameAnswers({
    open: (name, limits, now) => postgresBudget({ pool: database.pool, name, limits, now }),
    stored: async (name) => {
      const sql = 'SELECT tat, log FROM budget.upstreams WHERE name = $1';
      return (await database.pool.query<{ tat: number; log: number[] }>(sql, [name])).rows[0];
    },
  }));

test('takers at the same moment on the clock of the database get no more than the pace gives', async () => {
  const limits = { perSecond: 2, perDay: 1_000 };
  const pools = [database.openPool(), database.openPool(), database.openPool()];
  const budgets = pools.map((pool) => postgresBudget({ pool, name: 'together', limits }));
  const startedAt = systemClock.monotonic();
  const grants = await Promise.all(Array.from({ length: 60 }, (_, i) => budgets[i % 3]!.take('withdrawal')));
  const elapsedMs = systemClock.monotonic() - startedAt;
  const granted = grants.filter((grant) => grant.granted).length;
  expect(granted).toBeGreaterThanOrEqual(1);
  expect(granted).toBeLessThanOrEqual(1 + Math.floor((elapsedMs + 250) / 500));
  expect((await budgets[0]!.remaining()).day.withdrawal).toBe(1_000 - granted);
});

test('a database that is away is named as such', async () => {
  const pool = database.openPool({ url: 'postgres://nobody@127.0.0.1:1/none' });
  const budget = postgresBudget({ pool, name: 'away', limits: { perSecond: 1, perDay: 1 } });
  await expect(budget.take('deposit')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retriable: true });
});

test('a lane that does not exist is refused', async () => {
  const budget = postgresBudget({ pool: database.pool, name: 'lanes', limits: { perSecond: 1, perDay: 1 } });
  await expect(budget.take('other' as never)).rejects.toThrow('no such lane');
});
