import { advisoryLock, type Queryable } from '@weir/postgres';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { GateUnavailable } from '../availability.ts';
import type { Seal } from './seal.ts';
import { openKey, publicJwk, readKeys, type StoredKeys } from './stored-keys.ts';

export interface RotationTimes {
  /** How long a key signs. */
  readonly rotationMs: number;
  /** How long a key is published before it signs: longer than any verifier caches. */
  readonly leadMs: number;
  /** How long a key stays after its successor's first permit, for requests in progress. */
  readonly graceMs: number;
}

export function rotationTimes(rotationMs: number): RotationTimes {
  return { rotationMs, leadMs: rotationMs / 4, graceMs: Math.min(rotationMs / 4, 60_000) };
}

interface Stand extends Record<string, unknown> {
  has_current: boolean;
  has_next: boolean;
  is_due: boolean;
}

/** Keys are stored, but the gate's secret opens none of them. */
export class KeysNotAuthentic extends GateUnavailable {
  constructor() {
    super('no stored permit key is authenticated under the secret of this gate');
  }
}

/**
 * Advances the rotation by the database's clock; any replica may call it at any time. One key always signs, and its successor is published
 * ahead. A replaced key loses its private part, and is published until its permits have expired.
 * Only authentic keys count. Returns the `kid` of unauthenticated ones that are not retired. Rejects with `KeysNotAuthentic` where a new
 * key would hide a wrong secret.
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
  // No verifier has cached keys yet, so the first one signs at once.
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

/** Keys that are not retired, and the `kid` of those that can sign. Rejects with `KeysNotAuthentic` when none can. */
export async function readUsableKeys(tx: Queryable, seal: Seal): Promise<StoredKeys & { readonly signing: readonly string[] }> {
  const { authentic, unauthenticated } = await readKeys(tx, seal, 'WHERE retired_at IS NULL');
  const signing: string[] = [];
  for (const key of authentic) if ((await openKey(seal, key)) !== undefined) signing.push(key.kid);
  if (signing.length === 0 && (await hasPrivateKeys(tx))) throw new KeysNotAuthentic();
  return { authentic, unauthenticated, signing };
}

/** A key without a MAC proves nothing about the secret: a gate of the version before may still store such keys. */
async function hasPrivateKeys(tx: Queryable): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM gate.keys WHERE private_key IS NOT NULL AND mac IS NOT NULL LIMIT 1');
  return rowCount !== 0;
}

/** Signs after the previous key's time, and after `leadMs` of publication. */
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
