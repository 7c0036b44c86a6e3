import type { Chain } from '@weir/chains';
import { optional, readRows, required } from './rows.ts';

export interface SampleTransfer {
  readonly chain: Chain;
  /** Normalised; null where the source has none. */
  readonly txid: string | null;
  /** Unique per (chain, txid) where there is a txid. */
  readonly position: number;
  readonly from_address: string;
  readonly to_address: string;
  /** A symbol of `@weir/chains`. */
  readonly coin: string;
  /** Decimal string in whole coins; null where the source knows USD only. `coin` is then the chain's own. */
  readonly amount: string | null;
  /** Decimal string in USD at the time of the transfer; null when unknown. */
  readonly usd_value: string | null;
  /** ISO, UTC, whole seconds. */
  readonly time: string;
  readonly source: string;
}

/** Sorted by chain and time. */
export async function* sampleTransfers(): AsyncGenerator<SampleTransfer> {
  for await (const row of readRows('transfers.csv')) {
    yield {
      chain: required(row, 'chain') as Chain,
      txid: optional(row, 'txid'),
      position: Number(required(row, 'position')),
      from_address: required(row, 'from_address'),
      to_address: required(row, 'to_address'),
      coin: required(row, 'coin'),
      amount: optional(row, 'amount'),
      usd_value: optional(row, 'usd_value'),
      time: required(row, 'time'),
      source: required(row, 'source'),
    };
  }
}
