import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRateBudget } from './behaviour.ts';
import { lanes, memoryBudget, MemoryBudgetState, postgresBudget, rateBudgetMigrations } from './index.ts';
import { dayMs } from './pace.ts';

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

/** Mostly small steps and takes, so that most runs get to spend; now and then a jump, a pause or a give-back. */
const jumps = [-dayMs, -5_000, -1, 500, 60_000, dayMs / 3, dayMs];
const step = fc.record({
  gapMs: fc.oneof({ weight: 40, arbitrary: fc.integer({ min: 0, max: 150_000 }).map((us) => us / 1_000) }, fc.constantFrom(...jumps)),
  lane: fc.constantFrom(...lanes),
  act: fc.oneof(
    { weight: 15, arbitrary: fc.constant('take' as const) },
    fc.constantFrom('giveBack' as const, 'pauseSecond' as const, 'pauseDay' as const),
  ),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_200 })),
  lateMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    fc.integer({ min: 0, max: 500_000 }).map((us) => us / 1_000),
  ),
  /** Now and then somebody comes with other limits. */
  other: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const someLimits = fc.record({
  perSecond: fc.constantFrom(0.3, 1, 2, 7, 20, 100, 101, 300, 5_000, 1_000_000),
  perDay: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(10_000_000)),
});

test('the SQL gives the same answers as the pure function, bit for bit', async () => {
  let names = 0;
  const grants = { single: 0, block: 0, afterBlock: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60 }),
      someLimits,
      someLimits,
      fc.integer({ min: 0, max: dayMs }),
      async (steps, limits, otherLimits, start) => {
        let now = 19_700 * dayMs + start;
        const name = `same-${names++}`;
        const state = new MemoryBudgetState();
        const clients = [limits, otherLimits].map((its) => ({
          sql: postgresBudget({ pool: database.pool, name, limits: its, now: () => now }),
          pure: memoryBudget({ clock: { ...systemClock, now: () => now }, limits: its, state }),
        }));
        let blocks = 0;
        for (const { gapMs, lane, act, count, lateMs, other } of steps) {
          now += gapMs;
          const { sql, pure } = clients[other ? 1 : 0]!;
          if (act === 'take') {
            const [told, expected] = [await sql.take(lane, count, lateMs), await pure.take(lane, count, lateMs)];
            expect(told).toEqual(expected);
            if (told.granted) grants[told.count > 1 ? 'block' : 'single']++;
            if (told.granted && blocks > 0) grants.afterBlock++;
            if (told.granted && told.count > 1) blocks++;
          } else {
            for (const budget of [sql, pure]) {
              if (act === 'giveBack') await budget.giveBack(lane, count);
              else await budget.pause(act === 'pauseDay' ? 'day' : 'second', 700);
            }
          }
          expect(await sql.remaining()).toEqual(await pure.remaining());
        }
        const { rows } = await database.pool.query<{ tat: number; log: number[] }>(
          'SELECT tat, log FROM budget.upstreams WHERE name = $1',
          [name],
        );
        // Without a first grant or pause there is no row, or an empty one.
        expect(rows[0] ?? { tat: 0, log: [] }).toEqual({ tat: state.value.tat, log: state.value.log });
      },
    ),
    { numRuns: 60 },
  );
  // Enough was granted for a difference to show.
  expect(grants.single).toBeGreaterThan(50);
  expect(grants.block).toBeGreaterThan(50);
  expect(grants.afterBlock).toBeGreaterThan(50);
});

test('takers at the same moment on the clock of the database get no more than the pace gives', async () => {
  const limits = { perSecond: 2, perDay: 1_000 };
  const pools = [database.openPool(), database.openPool(), database.openPool()];
  const budgets = pools.map((pool) => postgresBudget({ pool, name: 'together', limits }));
  const startedAt = systemClock.monotonic();
  const grants = await Promise.all(Array.from({ length: 60 }, (_, i) => budgets[i % 3]!.take('withdrawal')));
  const elapsedMs = systemClock.monotonic() - startedAt;
  const granted = grants.filter((grant) => grant.granted).length;
  expect(granted).toBeGreaterThanOrEqual(1);
  expect(granted).toBeLessThanOrEqual(1 + Math.floor((elapsedMs + 267.5) / 535));
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
