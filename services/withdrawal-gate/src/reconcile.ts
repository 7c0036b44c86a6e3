import { type Pool, transaction } from '@weir/postgres';
import { type JournalOutcome, replayJournal } from './journal/restore.ts';

export interface PermitsOutcome extends JournalOutcome {
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
