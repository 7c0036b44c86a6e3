import { canonicalAmount } from './amount.ts';
import type { PermitClaims } from './claims.ts';
import type { PermitKeys } from './keys.ts';
import { readPermit } from './read.ts';
import { refused, type Verification } from './verification.ts';

/** The withdrawal to be signed. */
export interface ExpectedTerms {
  /** Optional: the signer may not know it. */
  readonly withdrawal_id?: string | undefined;
  readonly chain: string;
  readonly coin: string;
  readonly to_address: string;
  /** Decimal, in whole coins. */
  readonly amount: string;
  /** Destination tag, memo or comment of the transaction; absent, null or empty: none. */
  readonly memo?: string | null | undefined;
}

export interface VerifyOptions {
  readonly keys: PermitKeys;
  /** The gate's `WEIR_PERMIT_ISSUER`. */
  readonly issuer: string;
  readonly expected: ExpectedTerms;
  /** Unix milliseconds. */
  readonly now: number;
  /** Tolerance for a gate's clock ahead of this one, in milliseconds. Default 5,000. Expiry has no tolerance. */
  readonly aheadMs?: number;
}

/**
 * Verifies that the permit is valid now and for exactly `expected`. Never rejects.
 * Does not detect reuse; the gate does when it redeems the permit.
 */
export async function verifyPermit(token: string, options: VerifyOptions): Promise<Verification> {
  const read = await readPermit(token, options.keys);
  if (!read.ok) return read;
  const { permit } = read;
  if (permit.iss !== options.issuer) return refused('WRONG_ISSUER', 'iss');
  // A comparison with NaN is false, so it fails here.
  if (!(permit.iat * 1_000 <= options.now + (options.aheadMs ?? 5_000))) return refused('NOT_YET_VALID', 'iat');
  if (!(options.now < permit.exp * 1_000)) return refused('EXPIRED', 'exp');
  const field = mismatch(permit, options.expected);
  return field === undefined ? read : refused('MISMATCH', field);
}

/** The first term that differs, or undefined. */
export function mismatch(permit: PermitClaims, expected: ExpectedTerms): keyof ExpectedTerms | undefined {
  if (expected.withdrawal_id !== undefined && expected.withdrawal_id !== permit.sub) return 'withdrawal_id';
  if (expected.chain !== permit.chain) return 'chain';
  if (expected.coin !== permit.coin) return 'coin';
  if (normalAddress(expected.to_address) !== permit.to_address) return 'to_address';
  if ((expected.memo || undefined) !== permit.memo) return 'memo';
  return canonicalAmount(expected.amount) === permit.amount ? undefined : 'amount';
}

/** Hexadecimal and bech32 ignore case, and the gate writes lower case. Other forms must be the gate's own. */
const caseless = /^(0x([0-9a-f]{40}|[0-9a-f]{64})|(bc|ltc|addr|cosmos)1[02-9ac-hj-np-z]+|bitcoincash:[02-9ac-hj-np-z]+)$/i;

function normalAddress(address: string): string {
  const isCaseless =
    caseless.test(address) && (/^0x/i.test(address) || address === address.toLowerCase() || address === address.toUpperCase());
  return isCaseless ? address.toLowerCase() : address;
}
