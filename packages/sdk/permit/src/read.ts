import { compactVerify, errors } from 'jose';
import { faultyClaim, type PermitClaims } from './claims.ts';
import type { PermitKeys } from './keys.ts';
import { refused, type Verification } from './verification.ts';

/** The `typ` of a permit, so that no other token of the same keys is taken for one. A permit with other claims will have another. */
export const permitType = 'weir-permit+jwt';
/** Ed25519, and nothing else. */
export const permitAlgorithm = 'EdDSA';
/** Characters. A permit has some 700. */
export const maxPermitLength = 4_096;

const headerNames = ['alg', 'kid', 'typ'];

/**
 * Who wrote it, and what: proves that the gate of `keys` signed exactly these claims. Says nothing about whether the permit still
 * holds or what it is for; `verifyPermit` does. Never rejects.
 */
export async function readPermit(token: string, keys: PermitKeys): Promise<Verification> {
  const parts = typeof token === 'string' && token.length <= maxPermitLength ? token.split('.') : [];
  const [header, claims] = parts.length === 3 ? [parseExact(parts[0]), parseExact(parts[1])] : [];
  if (header === undefined || claims === undefined || !isExactBase64(parts[2] ?? '')) return refused('MALFORMED');
  // Before the key is looked for: whose key it is must not depend on what the token says its algorithm were.
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

/** Every bit counts: the last character of base64url has some that are otherwise not looked at. */
function isExactBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;
}

/** A JSON object, written as the gate writes it: a name that stands twice, or a blank, would be read differently by others. */
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
