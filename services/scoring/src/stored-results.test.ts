import { transaction } from '@weir/postgres';
import { caughtUp } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';
import { trimResults } from './stored-results.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

test('trimming deletes expired results, and waits for none that another transaction renews', async () => {
  const { pool } = harness.pipeline;
  await pool.query(`INSERT INTO scoring.results (chain, subject, direction, result, expires_at, answered_at)
    SELECT 'ethereum', 's' || n, 'in', '{}', now() + (n - 10) * interval '1 minute', now() FROM generate_series(1, 20) n`);
  await transaction(pool, async (tx) => {
    await tx.query("UPDATE scoring.results SET expires_at = now() + interval '1 hour' WHERE subject IN ('s1', 's5')");
    await trimResults(pool);
  });
  const { rows } = await pool.query<{ subject: string }>('SELECT subject FROM scoring.results ORDER BY expires_at, subject');
  const left = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20].map((n) => `s${n}`);
  expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set([...left, 's1', 's5']));
});

test('known answers with large evidence are published in transactions of bounded size', async () => {
  const { pool } = harness.pipeline;
  await harness.replica();
  const first = aRequest();
  await harness.request([first]);
  await harness.untilScored(1);
  await pool.query(`UPDATE scoring.results SET result = jsonb_set(result, '{evidence}', to_jsonb(repeat('e', 900000)))`);
  await harness.request(Array.from({ length: 60 }, () => aRequest({ subject: first.subject })));
  await caughtUp(harness.pipeline, 'scoring');
  const { rows } = await pool.query<{ bytes: number; count: number }>(
    `SELECT count(*)::int AS count, sum(octet_length(value))::float8 AS bytes FROM log.records r JOIN log.topics t ON t.id = r.topic
     WHERE t.name = 'screenings.scored' GROUP BY r.xmin`,
  );
  const most = Math.max(...rows.map(({ bytes }) => bytes));
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(61);
  expect(most).toBeGreaterThan(5_000_000);
  expect(most).toBeLessThan(17_000_000);
  expect(harness.upstream.creates).toHaveLength(1);
});
