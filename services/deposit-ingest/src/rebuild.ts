import { isUnrecorded, rebuildFromTransfers, toldEvent } from '@weir/intake';
import type { Rebuild } from '@weir/service-kit';
import { toDeposit } from './http.ts';

/** Publishes stored deposits again that the audit log lacks: deposit-ingest has taken them in. Returns how many. */
export async function rebuildDeposits(of: Rebuild): Promise<number> {
  const topic = 'deposits.detected';
  return rebuildFromTransfers(of, {
    kind: 'deposit',
    mayBeLost: isUnrecorded(topic),
    toEvent: (transfer) => toldEvent({ topic, data: toDeposit }, transfer),
  });
}
