import type { PaymentError } from './errors.ts';

/** Who has signed a payment, and what can be spent once by it. */
export interface Signed {
  /** As its network writes it; lower case on EVM. */
  readonly payer: string;
  /** What can be spent once, of this payer on this network. */
  readonly key: string;
  /** Whether the signature was seen to be the payer's. A contract's cannot be, without a chain. */
  readonly proven: boolean;
  /** Why it cannot be taken now. What was taken before is good all the same: the answer to it may be fetched after the authorization has ended. */
  readonly fault: PaymentError | undefined;
}
