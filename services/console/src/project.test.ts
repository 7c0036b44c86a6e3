import type { ScreeningRequested } from '@weir/contracts';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decided, requested, scored, start, type TestEvent } from './events.testing.ts';
import { type ScreeningUpdate, screeningUpdateOf, type ScreeningEvent } from './screening-update.ts';
import { project } from './project.ts';
import { findScreening, listScreenings } from './query.ts';
import { consoleMigrations } from './migrations.ts';
import { rollupBatches, rollupGaps } from './rollups.ts';
import { summarise } from './summary.ts';
import type { ScreeningView } from './view.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'console', consoleMigrations);
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.pool.query('TRUNCATE console.screenings, console.reviews');
});

const facts = (events: readonly TestEvent[]): ScreeningUpdate[] =>
  events.map((event) => screeningUpdateOf({ ...event, record: undefined } as unknown as ScreeningEvent));
const dueMs = 3_600_000;
const take = (events: readonly TestEvent[], pool = db.pool) => project(pool, facts(events), { dueMs });
const all = async (): Promise<ScreeningView[]> =>
  (await listScreenings(db.pool, {}, { order: 'newest', limit: 200, after: undefined })).items;
const resultsOf = async (rows: readonly ScreeningView[]) =>
  Promise.all(rows.map(async ({ screening_id: id }) => (await findScreening(db.pool, id))?.results));

const dueTimes = async (): Promise<Date[]> =>
  (await db.pool.query<{ due_at: Date }>('SELECT due_at FROM console.reviews WHERE due_at IS NOT NULL ORDER BY due_at')).rows.map(
    ({ due_at: at }) => at,
  );

/** Two screenings with re-screening, a late result and superseded decisions, and an open one. */
const history: readonly TestEvent[] = [
  requested('deposit', 1),
  scored('deposit', 1, { outcome: 'UNAVAILABLE', score: null, risk_level: null, reasons: ['DEADLINE_PASSED'] }),
  scored('deposit', 1, { sequence: 2, score: 20, risk_level: 'Low' }),
  decided('deposit', 1, { action: 'review', risk_level: null, reason_codes: ['DEADLINE_PASSED'] }),
  decided('deposit', 1, { revision: 2, supersedes: 1, action: 'allow', risk_level: 'Low' }),
  requested('deposit', 1, { attempt: 2, requested_at: start + 5_000, deadline_at: start + 9_000, lane: 'rescreen' }),
  scored('deposit', 1, { attempt: 2, score: 95, requested_at: start + 5_000, deadline_at: start + 9_000 }),
  decided('deposit', 1, { revision: 3, supersedes: 2, requested_at: start + 5_000 }),
  requested('withdrawal', 2),
  scored('withdrawal', 2, { score: 40, risk_level: 'Moderate' }),
  decided('withdrawal', 2, { action: 'review', risk_level: 'Moderate' }),
  requested('deposit', 3),
];

test('any order with repeats, in batches, from two replicas at once, ends in the same projection', async () => {
  for (const event of history) await take([event]);
  const expected = await all();
  expect(expected.map(({ status, result, decisions }) => [status, result?.risk_level, decisions.map(({ action }) => action)])).toEqual([
    ['open', undefined, []],
    ['held', 'Moderate', ['review']],
    ['blocked', 'Severe', ['review', 'allow', 'block']],
  ]);
  const results = await resultsOf(expected);
  expect(results.map((each) => each?.map(({ outcome, score }) => [outcome, score]))).toEqual([
    [],
    [['SCORED', 40]],
    [
      ['UNAVAILABLE', null],
      ['SCORED', 20],
      ['SCORED', 95],
    ],
  ]);
  const due = await dueTimes();
  expect(due).toEqual([new Date(start + 1_250 + dueMs), new Date(start + 2_250 + dueMs)]);
  const other = db.openPool();
  const twice = [...history, ...history];
  const order = fc.shuffledSubarray(
    twice.map((_, n) => n),
    { minLength: twice.length },
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(order, sizes, async (indexes, batchSizes) => {
      const batches = batchesOf(indexes, batchSizes);
      await db.pool.query('TRUNCATE console.screenings, console.reviews');
      await Promise.all(
        [db.pool, other].map(async (pool, replica) => {
          for (const [n, batch] of batches.entries())
            if (n % 2 === replica)
              await take(
                batch.map((at) => twice[at] as TestEvent),
                pool,
              );
        }),
      );
      expect(await all()).toEqual(expected);
      expect(await resultsOf(expected)).toEqual(results);
      expect(await dueTimes()).toEqual(due);
      expect((await db.pool.query(rollupGaps)).rows).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

function batchesOf(order: readonly number[], sizes: readonly number[]): number[][] {
  const batches: number[][] = [];
  for (let at = 0; at < order.length; ) {
    const size = sizes[batches.length % sizes.length] ?? 1;
    batches.push(order.slice(at, at + size));
    at += size;
  }
  return batches;
}

describe('before all is known', () => {
  test('a decision alone is shown, with what it tells', async () => {
    await take([decided('deposit', 1)]);
    expect(await all()).toMatchObject([
      {
        status: 'blocked',
        kind: 'deposit',
        subject: null,
        direction: null,
        deadline_at: null,
        audit: [],
        result: null,
        transfer: { deposit_id: 'deposit-1' },
      },
    ]);
  });

  test('a result alone is shown as open, with what was asked', async () => {
    await take([scored('withdrawal', 1)]);
    expect(await all()).toMatchObject([
      { status: 'open', subject_type: 'address', direction: 'withdraw', result: { score: 95 }, decisions: [] },
    ]);
  });
});

test('a row of an older version has its latest result alone', async () => {
  await take([scored('deposit', 1, { score: 20, risk_level: 'Low' })]);
  await db.pool.query("UPDATE console.screenings SET results = '{}'");
  expect(await resultsOf(await all())).toMatchObject([[{ outcome: 'SCORED', score: 20, risk_level: 'Low' }]]);
});

test('a text with NUL, or a subject longer than an index holds, is shown', async () => {
  await take([requested('deposit', 1, { subject: 'x'.repeat(20_000) }), requested('deposit', 2, { subject: 'a\0b' })]);
  expect((await all()).map(({ subject }) => subject?.slice(0, 3))).toEqual(['a\ufffdb', 'xxx']);
});

test('the summary counts the latest revisions, with the level that each was made on', async () => {
  await take(history);
  await take([
    decided('withdrawal', 7, { action: 'review', risk_level: 'Moderate' }),
    decided('deposit', 8, { action: 'review', risk_level: null }),
  ]);
  expect(await summarise(db.pool)).toEqual([
    { kind: 'deposit', action: 'block', level: 'Severe', count: 1 },
    { kind: 'deposit', action: 'review', level: null, count: 1 },
    { kind: 'withdrawal', action: 'review', level: 'Moderate', count: 2 },
  ]);
});

test('the sums of users and statistics follow any sequence of events, in any batches, and are made anew from the screenings', async () => {
  const action = fc.constantFrom('allow', 'review', 'block');
  const level = fc.constantFrom('Low', 'High', null);
  const event = fc
    .record({
      kind: fc.constantFrom('deposit' as const, 'withdrawal' as const),
      n: fc.integer({ min: 1, max: 3 }),
      revision: fc.integer({ min: 1, max: 4 }),
      after: fc.integer({ min: 0, max: 9_000_000 }),
      topic: fc.constantFrom('requested', 'scored', 'decided'),
      usd_value: fc.constantFrom(null, '12.5', '1000'),
      user_id: fc.constantFrom(null, 'ann', 'ben'),
      rule: fc.constantFrom(null, 'rules.a', 'deposit.Low'),
      resolution_id: fc.constantFrom(null, '00000000-0000-4000-8000-000000000001'),
      action,
      level,
    })
    .map(({ kind, n, revision, after, topic, usd_value, user_id, rule, resolution_id, action: made, level: risk_level }): TestEvent => {
      const { data } = requested(kind, n) as { data: ScreeningRequested };
      const transfer = { ...data.transfer, usd_value, user_id };
      const requested_at = data.requested_at + after;
      if (topic === 'requested') return requested(kind, n, { transfer, requested_at, attempt: revision });
      if (topic === 'scored') return scored(kind, n, { transfer, requested_at, risk_level, attempt: revision });
      const supersedes = revision === 1 ? null : revision - 1;
      return decided(kind, n, {
        transfer,
        revision,
        supersedes,
        action: made,
        rule,
        resolution_id,
        risk_level,
        decided_at: requested_at + revision,
      });
    });
  const sums = async (): Promise<unknown> =>
    (
      await db.pool.query(
        'SELECT series, owner, hour, key, count, trim_scale(total) AS total, unknown FROM console.rollups WHERE count > 0 ORDER BY 1, 2, 3, 4',
      )
    ).rows;
  const other = db.openPool();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(event, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 }), async (batches) => {
      await db.pool.query('TRUNCATE console.screenings, console.reviews');
      await Promise.all(
        [db.pool, other].map(async (pool, replica) => {
          for (const [n, batch] of batches.entries()) if (n % 2 === replica) await take(batch, pool);
        }),
      );
      expect((await db.pool.query(rollupGaps)).rows).toEqual([]);
      const before = await sums();
      await db.pool.query('DELETE FROM console.rollups');
      await db.pool.query(rollupBatches);
      expect(await sums()).toEqual(before);
      expect((await db.pool.query(rollupBatches)).rowCount).toBe(0);
    }),
    { numRuns: 100 },
  );
});
