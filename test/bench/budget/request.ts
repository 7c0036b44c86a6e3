import type { ScreeningRequested } from '@weir/contracts';
import { receiver, senderOf } from '../decisions.ts';

export function requestOf(screening: string, n: number): ScreeningRequested {
  const sender = senderOf('budget', n);
  const now = Date.now();
  return {
    screening_id: screening,
    attempt: 1,
    renews_revision: null,
    token_id: null,
    warnings: [],
    kind: 'deposit',
    chain: 'ethereum',
    coin: 'ETH',
    subject_type: 'address',
    subject: sender,
    direction: 'deposit',
    lane: 'deposit',
    fault: null,
    requested_at: now,
    deadline_at: now + 86_400_000,
    transfer: {
      kind: 'deposit',
      source_id: `budget-${n}`,
      chain: 'ethereum',
      coin: 'ETH',
      txid: null,
      from_address: sender,
      to_address: receiver,
      amount: '1',
      usd_value: null,
      user_id: null,
      occurred_at: now,
    },
  };
}
