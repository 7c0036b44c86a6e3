import { systemClock } from '@weir/clock';
import { migrate, prepared } from '@weir/postgres';
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

test('a program that was running before the steps for Redis and for settling goes on, with what was used', async () => {
  const older = await createTestDatabase();
  try {
    const limits = { perSecond: 10, perDay: 30 };
    await migrate(older.pool, 'budget', rateBudgetMigrations.slice(0, 1));
    const pool = older.openPool({ max: 1 });
    let now = 19_700 * 86_400_000 + 43_200_000;
    // As a program asked before this step and those after it, on a connection that knows the statement.
    const text = `SELECT granted, wait_ms, limited_by
      FROM budget.take('running', 'withdrawal', 1, 0, 10, 1070, 107, 321, 4096, 30, 10, 3, 1000, $1)`;
    const take = async (): Promise<unknown> => (await pool.query(prepared(text), [(now += 107)])).rows[0];
    for (let taken = 0; taken < 7; taken++) expect(await take()).toEqual({ granted: 1, wait_ms: null, limited_by: null });
    await migrate(older.pool, 'budget', rateBudgetMigrations);
    expect(await take()).toEqual({ granted: 1, wait_ms: null, limited_by: null });
    const budget = postgresBudget({ pool: older.openPool({ max: 1 }), name: 'running', limits, now: () => now });
    expect((await budget.remaining()).day.withdrawal).toBe(22);
  } finally {
    await older.drop();
  }
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
