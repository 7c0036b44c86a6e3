import type { Chain } from '@weir/chains';
import type { Direction } from '@weir/risk-engine';

/** The subject of a score, and the cache key of scores. The coin is not part of it. */
export interface Subject {
  readonly chain: Chain;
  readonly kind: 'address' | 'txid';
  /** Normalised. */
  readonly value: string;
  /** The side of a transaction. Always `deposit` for an address, where it means nothing. */
  readonly direction: Direction;
}
