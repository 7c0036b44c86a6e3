import { createHash } from 'node:crypto';
import { decodeJwt, type JWTPayload } from 'jose';
import { type PersonRole, personRoles } from './roles.ts';
import { hashToken, tokenId } from './tokens.ts';

/** A JWT in compact form (RFC 7515), signed or not. */
const jwtForm = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

export function isJwt(token: string): boolean {
  return jwtForm.test(token);
}

/** A person's id: 128 bits of the SHA-256 of `iss` and `sub`, and of no other claim. */
export function personId(issuer: string, subject: string): string {
  return `oidc-${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** The caller id of a token, without checking the token. */
export function callerIdOf(token: string): string {
  if (isJwt(token)) {
    const { iss, sub } = decodeOrNothing(token);
    if (typeof iss === 'string' && typeof sub === 'string') return personId(iss, sub);
  }
  return tokenId(hashToken(token));
}

function decodeOrNothing(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

const longestName = 200;

/** The person's name; empty if no claim has one. For display and comparison, never for identity. */
export function nameOf(claims: JWTPayload): string {
  const given = [claims['preferred_username'], claims['email'], claims['name']].filter((claim) => typeof claim === 'string');
  const names = given.map((name) => name.replace(/\p{C}/gu, '').trim().slice(0, longestName));
  return names.find((name) => name !== '') ?? '';
}

/**
 * Of the roles that `map` gives to the claim's values, the first in `personRoles`. `claim` is a name, dots included, or a path
 * (`realm_access.roles`). Its value is a string or a list of strings; others give no role.
 */
export function roleOf(claims: JWTPayload, claim: string, map: ReadonlyMap<string, PersonRole>): PersonRole | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : claim.split('.').reduce<unknown>(inside, claims);
  const given = new Set(
    (Array.isArray(value) ? value : [value]).flatMap((each) => (typeof each === 'string' ? (map.get(each) ?? []) : [])),
  );
  return personRoles.find((role) => given.has(role));
}

function inside(outer: unknown, name: string): unknown {
  return typeof outer === 'object' && outer !== null && Object.hasOwn(outer, name) ? (outer as Record<string, unknown>)[name] : undefined;
}
