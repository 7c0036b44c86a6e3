import { screeningId } from '@weir/contracts';
import type { Intake } from '@weir/intake';
import { prepared, type Queryable } from '@weir/postgres';
import type { StoredEvent } from '@weir/service-kit';

/**
 * Requests a new screening of a withdrawal whose decision no longer counts. The caller holds the lock of its row and publishes the events
 * after the commit. Returns none after an earlier request, or when the withdrawal has left.
 */
export async function requestRenewal(tx: Queryable, intake: Intake, withdrawalId: string): Promise<readonly StoredEvent[]> {
  const { rows } = await tx.query<{ revision: number }>(
    prepared(`UPDATE gate.withdrawals w SET renewed_revision = revision
     WHERE withdrawal_id = $1 AND status = 'allowed' AND renewed_revision IS DISTINCT FROM revision
       AND NOT EXISTS (SELECT FROM gate.permits p WHERE p.withdrawal_id = w.withdrawal_id AND p.state = 'redeemed')
     RETURNING revision`),
    [withdrawalId],
  );
  const [row] = rows;
  return row === undefined ? [] : intake.renew(tx, { screeningId: screeningId('withdrawal', withdrawalId), revision: row.revision });
}

export async function revokeOpen(tx: Queryable, withdrawalId: string): Promise<void> {
  await tx.query(prepared(`UPDATE gate.permits SET state = 'revoked' WHERE withdrawal_id = $1 AND state = 'open'`), [withdrawalId]);
}
