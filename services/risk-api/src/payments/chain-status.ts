import type { StoredPayment } from './ledger.ts';
import type { PayNetwork } from './networks.ts';

export type ChainStatus =
  | { readonly is: 'paid'; readonly transaction: string }
  /** Not paid yet, and still can be. */
  | { readonly is: 'open' }
  /** Not paid, and never will be. */
  | { readonly is: 'never'; readonly reason: 'cancelled' | 'expired' | 'failed' }
  /** No RPC URL, or no answer. */
  | { readonly is: 'unknown' };

export type ReadChainStatus = (payment: StoredPayment) => Promise<ChainStatus>;

/** Never fails. */
export function createChainStatus(
  askers: ReadonlyMap<PayNetwork, ReadChainStatus>,
  complain: (error: unknown, what: string) => void,
): ReadChainStatus {
  return async (payment) => {
    const ask = askers.get(payment.network as PayNetwork);
    if (ask === undefined) return { is: 'unknown' };
    try {
      return await ask(payment);
    } catch (error) {
      complain(error, 'a chain gives no answer about a payment');
      return { is: 'unknown' };
    }
  };
}
