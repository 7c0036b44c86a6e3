import { transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** Waits until a session waits for a row lock in a matching statement. */
const untilBlocked = (statement: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rows } = await harness.pipeline.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [statement],
      );
      expect(rows[0]?.count).toBe(1);
    },
    { timeout: 20_000, interval: 20 },
  );

test('a request that misses the cache just before the answer is stored opens no second lookup for it', async () => {
  let isDone = false;
  const script = {
    get running() {
      return isDone ? 0 : 1_000_000;
    },
  };
  harness.upstream.answer(() => script);
  const { metrics } = await harness.replica();
  const first = aRequest();
  await harness.request([first]);
  await vi.waitFor(() => expect(harness.upstream.queries.get(first.subject) ?? 0).toBeGreaterThan(0), { timeout: 20_000 });

  await transaction(harness.pipeline.pool, async (tx) => {
    await tx.query('SELECT FROM scoring.lookups FOR UPDATE');
    // The transaction that stores the answer and deletes the lookup is first in line for the row.
    isDone = true;
    await untilBlocked('SELECT l.lookup_id FROM scoring.lookups%');
    // This request has found nothing in the cache and is next in line.
    await harness.request([aRequest({ subject: first.subject })]);
    await untilBlocked('INSERT INTO scoring.lookups%');
  });

  await harness.untilScored(2);
  expect(harness.upstream.creates).toHaveLength(1);
  const flights = await metrics.registry.getSingleMetricAsString('weir_single_flight_total');
  expect(flights).toMatch(/result="hit"[^\n]* 1$/m);
  expect(flights).toMatch(/result="miss"[^\n]* 1$/m);
  const { rows } = await harness.pipeline.pool.query('SELECT FROM scoring.lookups');
  expect(rows).toEqual([]);
});

test('a request that another transaction is storing leaves nothing of its own', async () => {
  await harness.replica();
  const [request, after] = [aRequest(), aRequest()];
  await transaction(harness.pipeline.pool, async (tx) => {
    await tx.query(
      `INSERT INTO scoring.screenings (screening_id, attempt, request, state, sequence, deadline_at) VALUES ($1, 1, $2, 'answered', 1, now())`,
      [request.screening_id, JSON.stringify(request)],
    );
    // It has found no earlier attempt, and has opened a lookup.
    await harness.request([request]);
    await untilBlocked('INSERT INTO scoring.screenings%');
  });
  await harness.request([after]);
  const scored = await harness.untilScored(1);
  await vi.waitFor(async () => expect((await harness.pipeline.log.lag('scoring')).every(({ lag }) => lag === 0n)).toBe(true), {
    timeout: 20_000,
  });
  expect(scored.map(({ screening_id }) => screening_id)).toEqual([after.screening_id]);
  expect(harness.upstream.creates.map(({ subject }) => subject)).toEqual([after.subject]);
  expect((await harness.pipeline.pool.query('SELECT FROM scoring.lookups')).rows).toEqual([]);
});
