import type { ScreeningScored } from '@weir/contracts';
import { laneNumber } from './lookups.ts';
import { type Pool, type Queryable, transaction } from '@weir/postgres';

type Attempt = Pick<ScreeningScored, 'screening_id' | 'attempt' | 'sequence'>;

/** Published results that this database lacks: it knows fewer of their attempt, or none. */
export async function findForgottenResults<R extends Attempt>(db: Queryable, results: readonly R[]): Promise<R[]> {
  const { rows } = await db.query<{ n: number }>(
    `SELECT u.n::int AS n FROM unnest($1::uuid[], $2::int[], $3::int[]) WITH ORDINALITY AS u(id, attempt, sequence, n)
     WHERE NOT EXISTS (SELECT FROM scoring.screenings s WHERE s.screening_id = u.id AND s.attempt = u.attempt AND s.sequence >= u.sequence)`,
    [results.map(({ screening_id }) => screening_id), results.map(({ attempt }) => attempt), results.map(({ sequence }) => sequence)],
  );
  return rows.flatMap(({ n }) => results[n - 1] ?? []);
}

/**
 * Stores the latest published result of each attempt, so that its request is not looked up again. A screening that a deadline holds gets its
 * lookup back. Call it with one result for each attempt.
 */
export async function takeOverResults(pool: Pool, latest: readonly ScreeningScored[]): Promise<void> {
  for (const result of latest) await transaction(pool, (tx) => takeOver(tx, result));
}

async function takeOver(tx: Queryable, result: ScreeningScored): Promise<void> {
  const isHeld = result.outcome === 'UNAVAILABLE' && result.reasons.includes('DEADLINE_PASSED');
  const request = requestOf(result);
  const lookupId = isHeld && result.subject !== '' ? await openLookup(tx, result) : null;
  await tx.query(
    `INSERT INTO scoring.screenings AS s (screening_id, attempt, request, state, sequence, deadline_at, lookup_id)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), $7)
     ON CONFLICT (screening_id, attempt) DO UPDATE SET state = excluded.state, sequence = excluded.sequence,
       lookup_id = coalesce(s.lookup_id, excluded.lookup_id) WHERE s.sequence < excluded.sequence`,
    [
      result.screening_id,
      result.attempt,
      JSON.stringify(request),
      lookupId === null ? 'answered' : 'held',
      result.sequence,
      result.deadline_at,
      lookupId === null ? null : String(lookupId),
    ],
  );
}

async function openLookup(tx: Queryable, { transfer, subject, direction, subject_type, kind }: ScreeningScored): Promise<bigint | null> {
  const { rows } = await tx.query<{ lookup_id: bigint }>(
    `INSERT INTO scoring.lookups (chain, subject, direction, subject_type, coin, lane, next_at) VALUES ($1, $2, $3, $4, $5, $6, now())
     ON CONFLICT (chain, subject, direction) DO UPDATE SET chain = excluded.chain RETURNING lookup_id`,
    [transfer.chain, subject, direction, subject_type, transfer.coin, laneNumber[kind]],
  );
  return rows[0]?.lookup_id ?? null;
}

/** Its result has all of the request that matters after the first result. */
function requestOf(result: ScreeningScored) {
  const { screening_id, attempt, kind, subject_type, subject, direction, requested_at, deadline_at, transfer, renews_revision } = result;
  const asked = { screening_id, attempt, kind, subject_type, subject, direction, requested_at, deadline_at, transfer, renews_revision };
  return { ...asked, chain: transfer.chain, coin: transfer.coin, lane: kind, fault: null, warnings: [], token_id: null };
}
