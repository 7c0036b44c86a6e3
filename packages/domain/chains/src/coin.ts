import type { Chain } from './chain.ts';

/** One asset on one chain: `USDT-TRC20` is not `USDT-ERC20`. */
export interface Coin {
  /** Upper case, unique over all chains. */
  readonly symbol: string;
  readonly chain: Chain;
  /** The chain's fees are paid in it. */
  readonly native: boolean;
  readonly decimals: number;
  /** Normalised; absent for a native coin. */
  readonly contract?: string;
}

/** The symbol without its chain: `USDT` of `USDT-TRC20`. */
export function assetOf(symbol: string): string {
  return symbol.split('-')[0] ?? symbol;
}
