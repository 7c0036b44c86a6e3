import type { TransferView } from './view.ts';

/** Of every export of transfers. */
export const transferColumns = ['chain', 'coin', 'amount', 'usd_value', 'txid', 'from_address', 'to_address', 'user_id'] as const;

export function cellsOf({ chain, coin, amount, usd_value, txid, from_address, to_address, user_id }: TransferView) {
  return { chain, coin, amount, usd_value, txid, from_address, to_address, user_id };
}
