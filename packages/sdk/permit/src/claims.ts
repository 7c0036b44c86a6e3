import { canonicalAmount } from './amount.ts';

/** What a permit says. Every claim is required, and there are no others. */
export interface PermitClaims {
  /** The gate that wrote it. */
  readonly iss: string;
  /** The `withdrawal_id`. */
  readonly sub: string;
  /** The permit's own id. */
  readonly jti: string;
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds: from then on it is no permit. */
  readonly exp: number;
  /** Lower case, e.g. `ethereum`. */
  readonly chain: string;
  readonly coin: string;
  /** In its chain's normal form: lower case on EVM chains and for segwit, else as it is written. */
  readonly to_address: string;
  /** In whole coins, canonical: no superfluous zeros. */
  readonly amount: string;
  readonly screening_id: string;
  /** Of the decision it was issued under. */
  readonly revision: number;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 256;
const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const checks: Readonly<Record<keyof PermitClaims, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  jti: isId,
  iat: isCount,
  exp: isCount,
  // Empty for a coin that the gate does not know, of which the exchange named no chain: a person may have allowed it.
  chain: (value) => value === '' || isText(value),
  coin: isText,
  to_address: isText,
  amount: (value) => canonicalAmount(value) === value,
  screening_id: isId,
  revision: isCount,
};

/** The name of the first claim that is missing, wrong or not known; undefined when all are as they must be. */
export function faultyClaim(claims: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(claims).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) return unknown;
  return Object.entries(checks).find(([name, isRight]) => !Object.hasOwn(claims, name) || !isRight(claims[name]))?.[0];
}
