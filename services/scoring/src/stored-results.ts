import type { ScreeningRequested } from '@weir/contracts';
import { deleteInSteps, jsonArray, type Pool, prepared, type Queryable, rowsAStep } from '@weir/postgres';
import type { Finished } from './lookups.ts';
import type { Result } from './result.ts';

export interface Cached {
  readonly result: Result;
  /** When the risk API gave it; Unix ms. */
  readonly answeredAt: number;
}

export async function findCached(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Map<string, Cached>> {
  if (requests.length === 0) return new Map();
  const { rows } = await tx.query<{ chain: string; subject: string; direction: string; result: Result; answered_at: Date }>(
    // OFFSET 0: without statistics PostgreSQL would read the whole table and join it.
    prepared(`SELECT u.chain, u.subject, u.direction, r.result, r.answered_at
     FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS t(chain, subject, direction)) u
     CROSS JOIN LATERAL (
       SELECT result, answered_at FROM scoring.results
       WHERE chain = u.chain AND subject = u.subject AND direction = u.direction AND expires_at > now() OFFSET 0) r`),
    [requests.map((r) => r.chain), requests.map((r) => r.subject), requests.map((r) => r.direction)],
  );
  return new Map(rows.map((row) => [lookupKey(row), { result: row.result, answeredAt: row.answered_at.getTime() }]));
}

export function lookupKey(of: { chain: string; subject: string; direction: string }): string {
  return `${of.chain}\n${of.subject}\n${of.direction}`;
}

export async function keepResults(tx: Queryable, finished: readonly Finished[], now: number): Promise<void> {
  const kept = finished.filter(({ expiresAt }) => expiresAt !== null);
  if (kept.length === 0) return;
  await tx.query(
    prepared(`INSERT INTO scoring.results (chain, subject, direction, result, expires_at, answered_at)
     SELECT u.chain, u.subject, u.direction, u.result, to_timestamp(u.expires_at / 1000.0), to_timestamp($6 / 1000.0)
     FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::float8[]) AS u(chain, subject, direction, result, expires_at)
     ORDER BY 1, 2, 3
     ON CONFLICT (chain, subject, direction) DO UPDATE
     SET result = excluded.result, expires_at = excluded.expires_at, answered_at = excluded.answered_at`),
    [
      kept.map(({ lookup }) => lookup.chain),
      kept.map(({ lookup }) => lookup.subject),
      kept.map(({ lookup }) => lookup.direction),
      jsonArray(
        'jsonb',
        kept.map(({ result }) => JSON.stringify(result)),
      ),
      kept.map(({ expiresAt }) => expiresAt),
      now,
    ],
  );
}

export async function trimResults(pool: Pool): Promise<void> {
  await deleteInSteps(
    pool,
    // Waits for no lock, and so for nobody who renews some of these results.
    prepared(`WITH expired AS MATERIALIZED (
       SELECT chain, subject, direction FROM scoring.results WHERE expires_at < now() LIMIT ${rowsAStep} FOR UPDATE SKIP LOCKED)
     DELETE FROM scoring.results r USING expired e WHERE (r.chain, r.subject, r.direction) = (e.chain, e.subject, e.direction)`),
  );
}
