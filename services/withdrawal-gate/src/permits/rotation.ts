import { advisoryLock, type Queryable } from '@weir/postgres';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { GateUnavailable } from '../availability.ts';
import type { Seal } from './seal.ts';
import { openKey, publicJwk, readKeys, type StoredKeys } from './stored-keys.ts';

export interface RotationTimes {
  /** How long a key signs. */
  readonly rotationMs: number;
  /** How long before it signs a key is published: longer than anybody keeps a copy of the keys. */
  readonly leadMs: number;
  /** How long after its successor's first permit a key is kept as it is, for what is under way. */
  readonly graceMs: number;
}

/** All follow from how long a key signs. */
export function rotationTimes(rotationMs: number): RotationTimes {
  return { rotationMs, leadMs: rotationMs / 4, graceMs: Math.min(rotationMs / 4, 60_000) };
}

interface Stand extends Record<string, unknown> {
  has_current: boolean;
  has_next: boolean;
  is_due: boolean;
}

/** Keys are stored, and none of them can be used under the gate's secret. */
export class KeysNotAuthentic extends GateUnavailable {
  constructor() {
    super('no stored permit key is authenticated under the secret of this gate');
  }
}

/**
 * Takes the keys one step on, by the database's clock; to be called from time to time, by any replica. There is always a key that signs; its
 * successor is published ahead; what signs no more loses its private part, and is published until all it signed has expired.
 * Only authentic keys count. Returns the names of the others that are not retired. Rejects with `KeysNotAuthentic` where a new key would hide
 * that the secret is wrong.
 */
export async function turnKeys(tx: Queryable, seal: Seal, { rotationMs, leadMs, graceMs }: RotationTimes): Promise<readonly string[]> {
  await tx.query(`SELECT ${advisoryLock('permit-keys')}`);
  const { authentic, unauthenticated, signing } = await readUsableKeys(tx, seal);
  const { rows } = await tx.query<Stand>(
    `SELECT count(*) FILTER (WHERE signs_from <= clock_timestamp()) > 0 AS has_current,
       count(*) FILTER (WHERE signs_from > clock_timestamp()) > 0 AS has_next,
       coalesce(max(signs_from) <= clock_timestamp() - ($1::float8 - $2::float8) * interval '1 millisecond', true) AS is_due
     FROM gate.keys WHERE kid = ANY($3)`,
    [rotationMs, leadMs, signing],
  );
  const stand = rows[0] ?? { has_current: false, has_next: false, is_due: true };
  // Nobody has keys of a gate that has none, so the first need not be published ahead.
  if (!stand.has_current) await addKey(tx, seal, signing, 0, 0);
  else if (!stand.has_next && stand.is_due) await addKey(tx, seal, signing, rotationMs, leadMs);
  await tx.query(
    `UPDATE gate.keys k SET private_key = NULL
     WHERE kid = ANY($2) AND EXISTS (
       SELECT FROM gate.keys n
       WHERE n.kid = ANY($2) AND n.signs_from > k.signs_from AND n.signs_from <= clock_timestamp() - $1::float8 * interval '1 millisecond')`,
    [graceMs, signing],
  );
  await tx.query(
    `UPDATE gate.keys k SET retired_at = clock_timestamp()
     WHERE kid = ANY($2) AND private_key IS NULL AND retired_at IS NULL AND NOT EXISTS (
       SELECT FROM gate.permits p WHERE p.kid = k.kid AND p.expires_at > clock_timestamp() - $1::float8 * interval '1 millisecond')`,
    [graceMs, authentic.map(({ kid }) => kid)],
  );
  return unauthenticated;
}

/** The keys that are not retired, and the names of those that this gate can sign with. Rejects with `KeysNotAuthentic` when it can use none. */
export async function readUsableKeys(tx: Queryable, seal: Seal): Promise<StoredKeys & { readonly signing: readonly string[] }> {
  const { authentic, unauthenticated } = await readKeys(tx, seal, 'WHERE retired_at IS NULL');
  const signing: string[] = [];
  for (const key of authentic) if ((await openKey(seal, key)) !== undefined) signing.push(key.kid);
  if (signing.length === 0 && (await hasPrivateKeys(tx))) throw new KeysNotAuthentic();
  return { authentic, unauthenticated, signing };
}

/** A key without a MAC says nothing of the secret: a gate of the version before still stores such keys while it runs beside this one. */
async function hasPrivateKeys(tx: Queryable): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM gate.keys WHERE private_key IS NOT NULL AND mac IS NOT NULL LIMIT 1');
  return rowCount !== 0;
}

/** Signs from when the key before it has had its time, and not before it has been published for `leadMs`. */
async function addKey(tx: Queryable, seal: Seal, signing: readonly string[], rotationMs: number, leadMs: number): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(publicKey);
  const [kid, x = ''] = [await calculateJwkThumbprint(jwk), jwk.x];
  const sealed = await seal.close({ ...(await exportJWK(privateKey)), kid });
  await tx.query(
    `INSERT INTO gate.keys (kid, public_jwk, mac, private_key, signs_from)
     SELECT $1, $2, $3, $4, greatest(
       (SELECT max(signs_from) + $5::float8 * interval '1 millisecond' FROM gate.keys
        WHERE kid = ANY($7) AND signs_from <= clock_timestamp() AND $5::float8 > 0),
       clock_timestamp() + $6::float8 * interval '1 millisecond')`,
    [kid, publicJwk({ kid, x }), seal.authenticate({ kid, x }), sealed, rotationMs, leadMs, signing],
  );
}
