import { type Chain, type Coin, coins } from '@weir/chains';

/** What all records of one file have in common. */
export interface Scope {
  readonly chain: Chain;
  /** Named as the source of each transfer. */
  readonly source: string;
  /** The time of a block as ISO 8601, for tables that have the height alone. */
  readonly blockTime?: (height: number) => string | undefined;
  /** Whether a transaction failed, for tables that do not say it. */
  readonly failed?: (txid: string) => boolean;
}

const byContract = new Map(coins.map((coin): [string, Coin] => [`${coin.chain} ${coin.contract}`, coin]));
const natives = new Map(coins.filter((coin) => coin.native).map((coin): [Chain, Coin] => [coin.chain, coin]));

/** The coin of a contract, when it is in the table of coins. */
export function tokenOf(chain: Chain, contract: string): Coin | undefined {
  return byContract.get(`${chain} ${contract}`);
}

/** The coin in which the chain's fees are paid. */
export function nativeOf(chain: Chain): Coin {
  const coin = natives.get(chain);
  if (coin === undefined) throw new TypeError(`${chain} has no native coin`);
  return coin;
}
