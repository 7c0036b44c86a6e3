import type { Chain } from '@weir/chains';

/** An address that something is asked about. */
export interface AddressSubject {
  readonly chain: Chain;
  /** Normalised. */
  readonly address: string;
  /** Unix milliseconds; labels are taken as they stand then. */
  readonly atMs: number;
}
