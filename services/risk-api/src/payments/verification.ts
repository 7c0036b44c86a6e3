/** Reasons why a payment is rejected: the protocol's own codes where it has one. Texts of libraries never reach the caller. */
export const paymentErrors = [
  'payment_required',
  'invalid_payload',
  'invalid_x402_version',
  'invalid_scheme',
  'invalid_network',
  'invalid_payment_requirements',
  'invalid_amount',
  'invalid_asset',
  'invalid_recipient',
  'invalid_signature',
  'resource_mismatch',
  'payment_expired',
  'payment_not_yet_valid',
  'insufficient_funds',
  'authorization_used',
  'payment_refused',
] as const;

export type PaymentError = (typeof paymentErrors)[number];

/** A payment as its signer signed it. */
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

/** Substrings of facilitator codes. The first match counts. */
const parts: readonly (readonly [string, PaymentError])[] = [
  ['insufficient', 'insufficient_funds'],
  ['valid_before', 'payment_expired'],
  ['valid_after', 'payment_not_yet_valid'],
  ['nonce_already_used', 'authorization_used'],
  ['duplicate_settlement', 'authorization_used'],
  ['already_processed', 'authorization_used'],
  ['value_mismatch', 'invalid_amount'],
  ['amount_mismatch', 'invalid_amount'],
  ['authorization_value', 'invalid_amount'],
  ['recipient_mismatch', 'invalid_recipient'],
  ['mint_mismatch', 'invalid_asset'],
  ['memo', 'resource_mismatch'],
  ['network', 'invalid_network'],
  ['scheme', 'invalid_scheme'],
  ['signature', 'invalid_signature'],
  ['could_not_be_decoded', 'invalid_payload'],
  ['payload', 'invalid_payload'],
];

export function paymentErrorOf(reason: string | undefined): PaymentError {
  const code = (reason ?? '').toLowerCase();
  return parts.find(([part]) => code.includes(part))?.[1] ?? 'payment_refused';
}
