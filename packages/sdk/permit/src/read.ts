import { compactVerify, errors } from 'jose';
import { faultyClaim, type PermitClaims } from './claims.ts';
import type { PermitKeys } from './keys.ts';
import { refused, type Verification } from './verification.ts';

/** Prevents the use of other tokens of the same keys. A permit with other claims will get another `typ`. */
export const permitType = 'weir-permit+jwt';
/** Ed25519, and nothing else. */
export const permitAlgorithm = 'EdDSA';
/** Characters. A permit has some 700. */
export const maxPermitLength = 4_096;

const headerNames = ['alg', 'kid', 'typ'];

/**
 * Verifies that the gate of `keys` signed exactly these claims. Never rejects.
 * `verifyPermit` also checks the expiry and the terms.
 */
export async function readPermit(token: string, keys: PermitKeys): Promise<Verification> {
  const parts = typeof token === 'string' && token.length <= maxPermitLength ? token.split('.') : [];
  const [header, claims] = parts.length === 3 ? [parseExact(parts[0]), parseExact(parts[1])] : [];
  if (header === undefined || claims === undefined || !isExactBase64(parts[2] ?? '')) return refused('MALFORMED');
  // Before the key lookup: the token's own `alg` must not influence it.
  if (header['alg'] !== permitAlgorithm) return refused('WRONG_ALGORITHM', 'alg');
  if (header['typ'] !== permitType) return refused('NOT_UNDERSTOOD', 'typ');
  const unknown = Object.keys(header).find((name) => !headerNames.includes(name));
  if (unknown !== undefined) return refused('NOT_UNDERSTOOD', unknown);
  const { kid } = header;
  if (typeof kid !== 'string' || kid === '') return refused('NOT_UNDERSTOOD', 'kid');
  const signature = await checkSignature(token, kid, keys);
  if (signature !== 'right') return refused(signature);
  const fault = faultyClaim(claims);
  if (fault !== undefined) return refused('NOT_UNDERSTOOD', fault);
  return { ok: true, permit: claims as unknown as PermitClaims };
}

async function checkSignature(
  token: string,
  kid: string,
  keys: PermitKeys,
): Promise<'right' | 'UNKNOWN_KEY' | 'BAD_SIGNATURE' | 'KEYS_UNAVAILABLE'> {
  try {
    const key = await keys(kid);
    if (key === undefined) return 'UNKNOWN_KEY';
    await compactVerify(token, key, { algorithms: [permitAlgorithm] });
    return 'right';
  } catch (error) {
    return error instanceof errors.JWSSignatureVerificationFailed ? 'BAD_SIGNATURE' : 'KEYS_UNAVAILABLE';
  }
}

/** Rejects unused bits in the last base64url character. */
function isExactBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;
}

/** Accepts only the gate's own encoding: other readers may interpret a duplicate name otherwise. */
function parseExact(part = ''): Record<string, unknown> | undefined {
  if (!isExactBase64(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return JSON.stringify(value) === text ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
