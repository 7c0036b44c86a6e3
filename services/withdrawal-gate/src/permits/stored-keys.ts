import type { Queryable } from '@weir/postgres';
import type { JWK } from 'jose';
import type { Seal } from './seal.ts';

/** A row of `gate.keys` with a MAC of the gate's secret. */
export interface AuthenticKey {
  readonly kid: string;
  readonly x: string;
  readonly mac: Buffer;
  /** Sealed; null once the key no longer signs. */
  readonly privateKey: string | null;
}

export interface StoredKeys {
  readonly authentic: readonly AuthenticKey[];
  /** The `kid` of rows from another writer or under another secret. */
  readonly unauthenticated: readonly string[];
}

interface Row extends Record<string, unknown> {
  kid: string;
  x: string | null;
  mac: Buffer | null;
  private_key: string | null;
}

/** `rest` continues the statement: WHERE, ORDER BY. */
export async function readKeys(db: Queryable, seal: Seal, rest: string, values: readonly unknown[] = []): Promise<StoredKeys> {
  const { rows } = await db.query<Row>(`SELECT kid, public_jwk->>'x' AS x, mac, private_key FROM gate.keys ${rest}`, values);
  const authentic: AuthenticKey[] = [];
  const unauthenticated: string[] = [];
  for (const { kid, x, mac, private_key: privateKey } of rows) {
    if (x !== null && mac !== null && seal.isAuthentic({ kid, x }, mac)) authentic.push({ kid, x, mac, privateKey });
    else unauthenticated.push(kid);
  }
  return { authentic, unauthenticated };
}

/** Undefined unless the private key opens and belongs to this row. */
export async function openKey(seal: Seal, { kid, x, privateKey }: AuthenticKey): Promise<JWK | undefined> {
  const jwk = privateKey === null ? undefined : await seal.open(privateKey);
  return jwk?.kid === kid && jwk.x === x ? jwk : undefined;
}

/** Publishes only fields that the MAC covers. */
export function publicJwk({ kid, x }: Pick<AuthenticKey, 'kid' | 'x'>): JWK {
  return { kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig', kid };
}
