import { isUnrecorded, rebuildFromTransfers, toldEvent } from '@weir/intake';
import type { Rebuild } from '@weir/service-kit';
import { toDeposit } from './routes.ts';

/** Republishes stored deposits that the audit log lacks. Returns their number. */
export async function rebuildDeposits(of: Rebuild): Promise<number> {
  const topic = 'deposits.detected';
  return rebuildFromTransfers(of, {
    kind: 'deposit',
    mayBeLost: isUnrecorded(topic),
    toEvent: (transfer) => toldEvent({ topic, data: toDeposit }, transfer),
  });
}
