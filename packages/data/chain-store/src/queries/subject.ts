import type { Chain } from '@weir/chains';

export interface AddressSubject {
  readonly chain: Chain;
  readonly address: string;
  /** Unix milliseconds; selects the labels valid then. */
  readonly atMs: number;
}
