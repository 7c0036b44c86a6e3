import type { PermitClaims } from './claims.ts';

/**
 * The reason of a rejection.
 *
 * | Code | Retriable | Action |
 * |---|---|---|
 * | `MALFORMED` | no | no permit: not a compact JWS, or not in the gate's encoding |
 * | `NOT_UNDERSTOOD` | no | a permit of another version: a header or claim is unknown or missing |
 * | `WRONG_ALGORITHM` | no | not signed with Ed25519: suspect an attack |
 * | `UNKNOWN_KEY` | no | the gate publishes no key of this name |
 * | `BAD_SIGNATURE` | no | changed, or signed by somebody else |
 * | `WRONG_ISSUER` | no | it comes from another gate |
 * | `NOT_YET_VALID` | no | issued in the future: check this machine's clock |
 * | `EXPIRED` | no | request the withdrawal again: while it is allowed the gate issues a new permit |
 * | `MISMATCH` | no | it is for another withdrawal; `field` names the difference |
 * | `KEYS_UNAVAILABLE` | yes | the gate's keys are unavailable: sign nothing, retry |
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

/** Only `ok: true` permits signing. `field` is the header, claim or term at fault, if any. */
export type Verification =
  | { readonly ok: true; readonly permit: PermitClaims }
  | { readonly ok: false; readonly code: PermitCode; readonly retriable: boolean; readonly field?: string };

export function refused(code: PermitCode, field?: string): Verification {
  return { ok: false, code, retriable: code === 'KEYS_UNAVAILABLE', ...(field === undefined ? {} : { field }) };
}
