import { createHash } from 'node:crypto';
import { decodeJwt, type JWTPayload } from 'jose';
import { type PersonRole, personRoles } from './roles.ts';
import { hashToken, tokenId } from './tokens.ts';

/** A signed token in its compact form (RFC 7515), signed or not. */
const jwtForm = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

export function isJwt(token: string): boolean {
  return jwtForm.test(token);
}

/** A person of the OIDC provider: the same for every token that names the same `iss` and `sub`, whatever else it says. 128 bits of their SHA-256. */
export function personId(issuer: string, subject: string): string {
  return `oidc-${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** The id under which the holder of a token is known, should it be good: nothing is checked here. */
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

/** What people call the person; empty when no claim says. It is shown and compared, and never what somebody is known by. */
export function nameOf(claims: JWTPayload): string {
  const given = [claims['preferred_username'], claims['email'], claims['name']].filter((claim) => typeof claim === 'string');
  const names = given.map((name) => name.replace(/\p{C}/gu, '').trim().slice(0, longestName));
  return names.find((name) => name !== '') ?? '';
}

/**
 * The person's role: of those that `map` gives to the values of the claim, the first in the order of `personRoles`. `claim` is the claim's own name,
 * dots and all, or the way to one inside another (`realm_access.roles`). Its value is a text or a list of texts; whatever else it is gives no role.
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
