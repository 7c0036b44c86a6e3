import type { Kind, Transfer } from '@weir/contracts';
import type { Pool, Queryable } from '@weir/postgres';
import type { Cause } from './causes.ts';

/** Scoring itself holds late screenings and gives the reason; this covers an outage of scoring. */
const graceMs = 2_000;

/** SQL: the policy has yet to decide, at first or on a renewal. Each has a partial index with the same text. */
const isUndecided = 'revision = 0';
const isRenewing = `renews_revision = revision AND action = 'allow'`;

/** Up to `limit` undecided screenings past their deadline, by the database's clock. */
export async function findOverdue(pool: Pool, limit: number): Promise<Cause[]> {
  const { rows } = await pool.query<{
    screening_id: string;
    kind: Kind;
    transfer: Transfer;
    requested_at: Date;
    deadline_at: Date;
    renews_revision: number | null;
  }>(
    `(SELECT screening_id, kind, transfer, requested_at, deadline_at, NULL::int AS renews_revision FROM decision.screenings
      WHERE ${isUndecided} AND deadline_at <= now() - $1 * interval '1 millisecond' ORDER BY deadline_at LIMIT $2)
     UNION ALL
     (SELECT screening_id, kind, transfer, renewal_requested_at, renewal_deadline_at, renews_revision FROM decision.screenings
      WHERE ${isRenewing} AND renewal_deadline_at <= now() - $1 * interval '1 millisecond' ORDER BY renewal_deadline_at LIMIT $2)
     ORDER BY deadline_at LIMIT $2`,
    [graceMs, limit],
  );
  return rows.map((row) => ({
    kind: 'deadline',
    event: {
      screening_id: row.screening_id,
      attempt: (row.renews_revision ?? 0) + 1,
      kind: row.kind,
      chain: row.transfer.chain,
      coin: row.transfer.coin,
      subject_type: 'address',
      subject: '',
      direction: row.kind === 'deposit' ? 'deposit' : 'withdraw',
      lane: row.kind,
      fault: null,
      requested_at: row.requested_at.getTime(),
      deadline_at: row.deadline_at.getTime(),
      transfer: row.transfer,
      renews_revision: row.renews_revision,
      warnings: [],
      token_id: null,
    },
  }));
}

/** Screenings that wait for a decision of the policy, and the age of the oldest in seconds, by kind. */
export async function countPending(db: Queryable): Promise<{ kind: string; count: number; oldest: number }[]> {
  const { rows } = await db.query<{ kind: string; count: number; oldest: number }>(
    `SELECT k.kind, count(s.since)::int AS count, greatest(coalesce(extract(epoch FROM now() - min(s.since)), 0), 0)::float8 AS oldest
     FROM (VALUES ('deposit'), ('withdrawal')) AS k(kind) LEFT JOIN (
       SELECT kind, requested_at AS since FROM decision.screenings WHERE ${isUndecided}
       UNION ALL SELECT kind, renewal_requested_at FROM decision.screenings WHERE ${isRenewing}) AS s ON s.kind = k.kind GROUP BY k.kind`,
  );
  return rows;
}
