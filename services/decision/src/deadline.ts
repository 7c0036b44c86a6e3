import type { Kind, Transfer } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import type { Cause } from './decide-batch.ts';

/** Scoring holds what is late by itself and says why; this is for when scoring is not there either. */
const graceMs = 2_000;

/** Up to `limit` screenings past their deadline that nobody has decided. */
export async function findOverdue(pool: Pool, limit: number): Promise<Cause[]> {
  const { rows } = await pool.query<{ screening_id: string; kind: Kind; transfer: Transfer; requested_at: Date; deadline_at: Date }>(
    `SELECT screening_id, kind, transfer, requested_at, deadline_at FROM decision.screenings
     WHERE revision = 0 AND deadline_at <= now() - $1 * interval '1 millisecond' ORDER BY deadline_at LIMIT $2`,
    [graceMs, limit],
  );
  return rows.map((row) => ({
    kind: 'deadline',
    event: {
      screening_id: row.screening_id,
      attempt: 1,
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
      renews_revision: null,
      remarks: [],
    },
  }));
}
