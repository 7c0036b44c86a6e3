import type { Chain } from '@weir/chains';
import { optional, readRows, required } from './rows.ts';

/** A sample transfer as a deposit. The package's README separates real data from synthetic. */
export interface SampleDeposit {
  readonly depositId: string;
  readonly chain: Chain;
  readonly coin: string;
  /** Null where the source has none; the deposit is then screened by its sender. */
  readonly txid: string | null;
  readonly fromAddress: string;
  readonly toAddress: string;
  /** Decimal string in whole coins. */
  readonly amount: string;
  /** Decimal string in USD; null when unknown, which is not zero. */
  readonly usdValue: string | null;
  /** Opaque, the same for the same receiving address. */
  readonly userId: string;
  /** ISO, UTC: the time of the transfer. */
  readonly detectedAt: string;
  /** Starts with `exchange-bound`, `instant-exchange-bound` or `replayed`. */
  readonly source: string;
}

/** Sorted by time. */
export async function* sampleDeposits(): AsyncGenerator<SampleDeposit> {
  for await (const row of readRows('deposits.csv')) {
    yield {
      depositId: required(row, 'deposit_id'),
      chain: required(row, 'chain') as Chain,
      coin: required(row, 'coin'),
      txid: optional(row, 'txid'),
      fromAddress: required(row, 'from_address'),
      toAddress: required(row, 'to_address'),
      amount: required(row, 'amount'),
      usdValue: optional(row, 'usd_value'),
      userId: required(row, 'user_id'),
      detectedAt: required(row, 'detected_at'),
      source: required(row, 'source'),
    };
  }
}
