import { canonicalAmount } from './amount.ts';

/** The claims of a permit. Every claim but `memo` is required; others are rejected. */
export interface PermitClaims {
  readonly iss: string;
  /** The `withdrawal_id`. */
  readonly sub: string;
  /** The permit's own id. */
  readonly jti: string;
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds; the permit is invalid from then on. */
  readonly exp: number;
  /** Lower case, e.g. `ethereum`. */
  readonly chain: string;
  readonly coin: string;
  /** Normalised: lower case on EVM chains and for segwit, unchanged elsewhere. */
  readonly to_address: string;
  /** In whole coins, canonical: no superfluous zeros. */
  readonly amount: string;
  /** Destination tag, memo or comment; absent when there is none. */
  readonly memo?: string;
  readonly screening_id: string;
  /** Of the decision. */
  readonly revision: number;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 256;
const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const checks: Readonly<Record<Exclude<keyof PermitClaims, 'memo'>, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  jti: isId,
  iat: isCount,
  exp: isCount,
  // Empty for an unknown coin without a chain, which a reviewer may have allowed.
  chain: (value) => value === '' || isText(value),
  coin: isText,
  to_address: isText,
  amount: (value) => canonicalAmount(value) === value,
  screening_id: isId,
  revision: isCount,
};

/** Returns the first claim that is missing, wrong or unknown; undefined when all are valid. */
export function faultyClaim(claims: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(claims).find((name) => name !== 'memo' && !Object.hasOwn(checks, name));
  if (unknown !== undefined) return unknown;
  if (Object.hasOwn(claims, 'memo') && !isText(claims['memo'])) return 'memo';
  return Object.entries(checks).find(([name, isRight]) => !Object.hasOwn(claims, name) || !isRight(claims[name]))?.[0];
}
