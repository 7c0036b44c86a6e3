import type { Queryable } from '@weir/postgres';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Seal } from './seal.ts';

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

/** Any 64-bit number will do, as long as every replica uses the same. */
const rotationLock = 7_305_141_982n;

interface Stand extends Record<string, unknown> {
  has_current: boolean;
  has_next: boolean;
  is_due: boolean;
}

/**
 * Takes the keys one step on, by the database's clock; to be called from time to time, by any replica. There is always a key that signs; its
 * successor is published ahead; what signs no more loses its private part, and is published until all it signed has expired.
 */
export async function turnKeys(tx: Queryable, seal: Seal, { rotationMs, leadMs, graceMs }: RotationTimes): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [rotationLock]);
  const { rows } = await tx.query<Stand>(
    `SELECT count(*) FILTER (WHERE signs_from <= clock_timestamp()) > 0 AS has_current,
       count(*) FILTER (WHERE signs_from > clock_timestamp()) > 0 AS has_next,
       coalesce(max(signs_from) <= clock_timestamp() - ($1::float8 - $2::float8) * interval '1 millisecond', true) AS is_due
     FROM gate.keys WHERE private_key IS NOT NULL`,
    [rotationMs, leadMs],
  );
  const stand = rows[0] ?? { has_current: false, has_next: false, is_due: true };
  // Nobody has keys of a gate that has none, so the first need not be published ahead.
  if (!stand.has_current) await addKey(tx, seal, 0, 0);
  else if (!stand.has_next && stand.is_due) await addKey(tx, seal, rotationMs, leadMs);
  await tx.query(
    `UPDATE gate.keys k SET private_key = NULL
     WHERE private_key IS NOT NULL AND EXISTS (
       SELECT FROM gate.keys n
       WHERE n.private_key IS NOT NULL AND n.signs_from > k.signs_from AND n.signs_from <= clock_timestamp() - $1::float8 * interval '1 millisecond')`,
    [graceMs],
  );
  await tx.query(
    `UPDATE gate.keys k SET retired_at = clock_timestamp()
     WHERE private_key IS NULL AND retired_at IS NULL AND NOT EXISTS (
       SELECT FROM gate.permits p WHERE p.kid = k.kid AND p.expires_at > clock_timestamp() - $1::float8 * interval '1 millisecond')`,
    [graceMs],
  );
}

/** Signs from when the key before it has had its time, and not before it has been published for `leadMs`. */
async function addKey(tx: Queryable, seal: Seal, rotationMs: number, leadMs: number): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg: 'EdDSA', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  await tx.query(
    `INSERT INTO gate.keys (kid, public_jwk, private_key, signs_from)
     SELECT $1, $2, $3, greatest(
       (SELECT max(signs_from) + $4::float8 * interval '1 millisecond' FROM gate.keys WHERE signs_from <= clock_timestamp() AND $4::float8 > 0),
       clock_timestamp() + $5::float8 * interval '1 millisecond')`,
    [kid, { ...jwk, kid }, await seal.close({ ...(await exportJWK(privateKey)), kid }), rotationMs, leadMs],
  );
}
