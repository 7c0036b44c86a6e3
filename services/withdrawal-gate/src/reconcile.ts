import { type Pool, transaction } from '@weir/postgres';
import { applyCommitted } from './committed.ts';
import { type JournalOutcome, replayJournal } from './journal/restore.ts';

interface PermitsOutcome extends JournalOutcome {
  /** Open permits of the restored database: a decision that it has forgotten may have revoked them. */
  readonly revoked: number;
  /** Allowed withdrawals that are screened again before they leave: a later decision may be forgotten. */
  readonly aged: number;
}

/** Redemptions as the journal has them and, in a restored database, no permit from before. Without `mend` it only counts. */
export async function reconcilePermits(
  pool: Pool,
  { journal, restored, mend }: { journal: string; restored: boolean; mend: boolean },
): Promise<PermitsOutcome> {
  const outcome = await replayJournal(pool, journal, mend);
  if (!restored) return { ...outcome, revoked: 0, aged: 0 };
  const isOpen = `state = 'open'`;
  // Null counts as too old for a permit.
  const isYoung = `status = 'allowed' AND decided_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM gate.permits p WHERE p.withdrawal_id = w.withdrawal_id AND p.state = 'redeemed')`;
  if (!mend) {
    const { rows } = await pool.query<{ revoked: number; aged: number }>(
      `SELECT (SELECT count(*)::int FROM gate.permits WHERE ${isOpen}) AS revoked,
         (SELECT count(*)::int FROM gate.withdrawals w WHERE ${isYoung}) AS aged`,
    );
    return { ...outcome, revoked: rows[0]?.revoked ?? 0, aged: rows[0]?.aged ?? 0 };
  }
  return transaction(pool, async (tx) => {
    const revoked = await tx.query(`UPDATE gate.permits SET state = 'revoked' WHERE ${isOpen}`);
    const aged = await tx.query(`UPDATE gate.withdrawals w SET decided_at = NULL WHERE ${isYoung}`);
    return { ...outcome, revoked: revoked.rowCount ?? 0, aged: aged.rowCount ?? 0 };
  });
}

/** Applies stored decisions that the gate has not read. Returns the withdrawals. Without `mend` it only names them. */
export async function catchUpDecisions(pool: Pool, mend: boolean): Promise<string[]> {
  const { rows } = await pool.query<{ withdrawal_id: string }>(
    `SELECT w.withdrawal_id FROM decision.screenings s
     JOIN gate.withdrawals w ON w.withdrawal_id = s.transfer ->> 'source_id'
     WHERE s.kind = 'withdrawal' AND s.revision > w.revision ORDER BY w.withdrawal_id`,
  );
  const ids = rows.map(({ withdrawal_id }) => withdrawal_id);
  if (!mend) return ids;
  for (const id of ids) {
    await transaction(pool, async (tx) => {
      const { rows: locked } = await tx.query<{ revision: number }>(
        'SELECT revision FROM gate.withdrawals WHERE withdrawal_id = $1 FOR UPDATE',
        [id],
      );
      await applyCommitted(tx, id, locked[0]?.revision ?? 0);
    });
  }
  return ids;
}
