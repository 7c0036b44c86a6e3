import type { Chain } from '@weir/chains';

/** Common to all records of one file. */
export interface Scope {
  readonly chain: Chain;
  /** The source of each transfer. */
  readonly source: string;
  /** ISO 8601, for tables with the height only. */
  readonly blockTime?: (height: number) => string | undefined;
  /** For traces without a transaction id. */
  readonly txidAt?: (height: number, place: number) => string | undefined;
  /** For tables without a status. */
  readonly failed?: (txid: string) => boolean;
}
