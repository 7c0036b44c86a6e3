import type { Chain } from '@weir/chains';
import { optional, readRows, required } from './rows.ts';

/** A sample transfer as a deposit. The package's README separates real data from synthetic. */
export interface SampleDeposit {
  readonly deposit_id: string;
  readonly chain: Chain;
  readonly coin: string;
  /** Null where the source has none; the deposit is then screened by its sender. */
  readonly txid: string | null;
  readonly from_address: string;
  readonly to_address: string;
  /** Decimal string in whole coins. */
  readonly amount: string;
  /** Decimal string in USD; null when unknown, which is not zero. */
  readonly usd_value: string | null;
  /** Opaque, the same for the same receiving address. */
  readonly user_id: string;
  /** ISO, UTC: the time of the transfer. */
  readonly detected_at: string;
  /** Starts with `exchange-bound`, `instant-exchange-bound` or `replayed`. */
  readonly source: string;
}

/** Sorted by time. */
export async function* sampleDeposits(): AsyncGenerator<SampleDeposit> {
  for await (const row of readRows('deposits.csv')) {
    yield {
      deposit_id: required(row, 'deposit_id'),
      chain: required(row, 'chain') as Chain,
      coin: required(row, 'coin'),
      txid: optional(row, 'txid'),
      from_address: required(row, 'from_address'),
      to_address: required(row, 'to_address'),
      amount: required(row, 'amount'),
      usd_value: optional(row, 'usd_value'),
      user_id: required(row, 'user_id'),
      detected_at: required(row, 'detected_at'),
      source: required(row, 'source'),
    };
  }
}
