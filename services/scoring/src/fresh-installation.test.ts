import { afterEach, beforeEach, expect, test } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** Rows of the screenings and of the known results that statements have read one after the other, so far. */
async function rowsScanned(): Promise<number> {
  const { rows } = await harness.pipeline.pool.query<{ read: number }>(
    `SELECT sum(seq_tup_read)::int AS read FROM pg_stat_user_tables WHERE schemaname = 'scoring' AND relname IN ('screenings', 'results')`,
  );
  return rows[0]?.read ?? 0;
}

test('without statistics, as on a fresh installation, requests and answers read neither all screenings nor all results', async () => {
  const replica = await harness.replica();
  const answered = 8_000;
  // Nothing has analysed the table.
  await harness.pipeline.pool.query(
    `INSERT INTO scoring.screenings (screening_id, attempt, request, lookup_id, state, deadline_at)
     SELECT gen_random_uuid(), 1, $1, -n, 'answered', now() FROM generate_series(1, $2) AS n`,
    [JSON.stringify(aRequest()), answered],
  );
  await harness.pipeline.pool.query(
    `INSERT INTO scoring.results (chain, subject, direction, result, expires_at)
     SELECT 'ethereum', 'other-' || n, 'deposit', '{}', now() + interval '1 hour' FROM generate_series(1, $1::int) AS n`,
    [answered],
  );
  await harness.pipeline.pool.query('SELECT pg_stat_force_next_flush()');
  const before = await rowsScanned();
  await harness.request(Array.from({ length: 100 }, () => aRequest()));
  await harness.untilScored(100);
  // Backends report their statistics at the latest when they end.
  await replica.stop();
  expect((await rowsScanned()) - before).toBeLessThan(answered);
});
