import type { ScreeningRequested } from '@weir/contracts';
import { requested } from '@weir/contracts/testing';
import { receiver, senderOf } from '../decisions.ts';

/** The n-th deposit of the run, each from a sender of its own, with a deadline after the run. */
export function requestOf(screening_id: string, n: number): ScreeningRequested {
  const now = Date.now();
  const { transfer } = requested(`budget-${n}`);
  return requested(transfer.source_id, {
    screening_id,
    requested_at: now,
    deadline_at: now + 86_400_000,
    transfer: { ...transfer, from_address: senderOf('budget', n), to_address: receiver, usd_value: null, occurred_at: now },
  });
}
