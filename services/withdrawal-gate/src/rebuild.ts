import { isUnrecorded, rebuildFromTransfers, toldEvent } from '@weir/intake';
import type { Rebuild } from '@weir/service-kit';

/** Republishes stored withdrawals whose terms the gate lacks, or that the audit log lacks. Returns their number. */
export async function rebuildWithdrawals(of: Rebuild): Promise<number> {
  return rebuildFromTransfers(of, {
    kind: 'withdrawal',
    mayBeLost: `
      NOT EXISTS (SELECT FROM gate.withdrawals w WHERE w.withdrawal_id = t.request -> 'transfer' ->> 'source_id' AND w.asked IS NOT NULL)
      OR ${isUnrecorded('withdrawals.requested')}`,
    toEvent: toldEvent,
  });
}
