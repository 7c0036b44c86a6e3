import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { migrate } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countUnknown } from './after-restore.ts';
import { rateBudgetMigrations } from './migrations.ts';
import { postgresBudget } from './postgres.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'rate-budget', rateBudgetMigrations);
});
afterEach(() => db.drop());

const noon = Date.UTC(2031, 0, 1, 12);
const limits = { perSecond: 10, perDay: 1_000 };
const budget = (at: number) => postgresBudget({ pool: db.pool, name: 'up', limits, now: () => at });
const count = (at: number, over: object = {}, mend = true) => countUnknown(db.pool, 'up', { ...limits, now: () => at, ...over }, mend);

beforeEach(async () => {
  expect(await budget(noon).take('withdrawal')).toMatchObject({ granted: true, count: 1 });
});

test('what may have been spent since the last known grant counts as spent, and nothing is sent within the second', async () => {
  const at = noon + 20_000;
  const { before = 0, after = 0 } = (await count(at)) ?? {};
  expect(before).toBe(1);
  // Twenty seconds at ten a second, and one more.
  expect(after).toBeGreaterThan(200);
  expect(after).toBeLessThanOrEqual(211);
  expect(await budget(at + 2_000).take('withdrawal')).toMatchObject({ granted: false, window: 'second' });
  expect(await budget(at + 3_000).take('withdrawal')).toMatchObject({ granted: true });
  expect((await budget(at + 3_000).remaining()).day.withdrawal).toBe(1_000 - after - 1);
});

test('a day that may be spent is spent, and never more than it has', async () => {
  expect(await count(noon + 3_600_000)).toEqual({ before: 1, after: 1_000 });
  expect(await budget(noon + 3_700_000).take('withdrawal')).toMatchObject({ granted: false, window: 'day' });
});

test('after midnight only the new day counts', async () => {
  const midnight = Date.UTC(2031, 0, 2);
  const { before, after = 0 } = (await count(midnight + 10_000)) ?? {};
  expect(before).toBe(0);
  expect(after).toBe(110);
});

test('the count of the provider is taken where it is higher than the stored one', async () => {
  expect(await count(noon + 20_000, { spentToday: 0 })).toEqual({ before: 1, after: 1 });
  expect(await count(noon + 20_000, { spentToday: 300 })).toEqual({ before: 1, after: 300 });
});

test('a look changes nothing, and an upstream that was never asked has nothing to count', async () => {
  const { rows } = await db.pool.query('SELECT * FROM budget.upstreams');
  expect(await count(noon + 20_000, {}, false)).toMatchObject({ before: 1 });
  expect((await db.pool.query('SELECT * FROM budget.upstreams')).rows).toEqual(rows);
  expect(await countUnknown(db.pool, 'other', limits, true)).toBeUndefined();
});
