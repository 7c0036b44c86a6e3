import { isUnrecorded, rebuildFromTransfers, toldEvent } from '@weir/intake';
import type { Rebuild } from '@weir/service-kit';

/** Republishes stored deposits that the audit log lacks. Returns their number. */
export async function rebuildDeposits(of: Rebuild): Promise<number> {
  return rebuildFromTransfers(of, {
    kind: 'deposit',
    mayBeLost: isUnrecorded('deposits.detected'),
    toEvent: toldEvent,
  });
}
