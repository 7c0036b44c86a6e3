import type { PermitClaims } from './claims.ts';

/**
 * Why a permit is refused.
 *
 * | Code | Retriable | What to do |
 * |---|---|---|
 * | `MALFORMED` | no | this is no permit: not a compact JWS, or not written as the gate writes it |
 * | `NOT_UNDERSTOOD` | no | a permit of another version: a header or claim that this verifier does not know, or one that is missing |
 * | `WRONG_ALGORITHM` | no | signed by something else than Ed25519: somebody is trying something |
 * | `UNKNOWN_KEY` | no | the gate publishes no key of this name |
 * | `BAD_SIGNATURE` | no | it was changed, or somebody else wrote it |
 * | `WRONG_ISSUER` | no | it comes from another gate |
 * | `NOT_YET_VALID` | no | issued in the future: look at this machine's clock |
 * | `EXPIRED` | no | ask the gate for the withdrawal again: while it is allowed there is a new permit |
 * | `MISMATCH` | no | it is for another withdrawal; `field` says what differs |
 * | `KEYS_UNAVAILABLE` | yes | the gate's keys cannot be had: sign nothing, try again |
 */
export type PermitCode =
  | 'MALFORMED'
  | 'NOT_UNDERSTOOD'
  | 'WRONG_ALGORITHM'
  | 'UNKNOWN_KEY'
  | 'BAD_SIGNATURE'
  | 'WRONG_ISSUER'
  | 'NOT_YET_VALID'
  | 'EXPIRED'
  | 'MISMATCH'
  | 'KEYS_UNAVAILABLE';

/** What came of a verification. Only `ok: true` is a yes. `field` is the header, claim or term at fault, where it is one. */
export type Verification =
  | { readonly ok: true; readonly permit: PermitClaims }
  | { readonly ok: false; readonly code: PermitCode; readonly retriable: boolean; readonly field?: string };

export function refused(code: PermitCode, field?: string): Verification {
  return { ok: false, code, retriable: code === 'KEYS_UNAVAILABLE', ...(field === undefined ? {} : { field }) };
}
