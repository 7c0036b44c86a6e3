import type { PaymentError } from './errors.ts';

export interface Signed {
  /** In the notation of its network; lower case on EVM. */
  readonly payer: string;
  /** Can be spent once by this payer on this network. */
  readonly key: string;
  /** Whether the payer's signature was verified here. A contract's signature needs its chain. */
  readonly proven: boolean;
  /** Why it is not accepted now. A payment accepted earlier still gets its answer after the authorization has expired. */
  readonly fault: PaymentError | undefined;
}
