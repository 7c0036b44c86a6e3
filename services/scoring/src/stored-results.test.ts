import { transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Harness, openHarness } from './harness.testing.ts';
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
