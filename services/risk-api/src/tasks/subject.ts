import type { Chain } from '@weir/chains';
import type { Direction } from '@weir/risk-engine';

/** What is scored. Together these are the key of cached scores; the coin is not part of it. */
export interface Subject {
  readonly chain: Chain;
  readonly kind: 'address' | 'txid';
  /** Normalised. */
  readonly value: string;
  /** Which side of a transaction; says nothing of an address, where it is always `deposit`. */
  readonly direction: Direction;
}
