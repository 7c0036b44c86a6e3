import { type Chain, type Coin, coins } from '@weir/chains';

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

const byContract = new Map(coins.map((coin): [string, Coin] => [`${coin.chain} ${coin.contract}`, coin]));
const natives = new Map(coins.filter((coin) => coin.native).map((coin): [Chain, Coin] => [coin.chain, coin]));

/** Undefined outside the coin table. */
export function tokenOf(chain: Chain, contract: string): Coin | undefined {
  return byContract.get(`${chain} ${contract}`);
}

export function nativeOf(chain: Chain): Coin {
  const coin = natives.get(chain);
  if (coin === undefined) throw new TypeError(`${chain} has no native coin`);
  return coin;
}
