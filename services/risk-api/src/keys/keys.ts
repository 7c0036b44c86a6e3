import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '@weir/postgres';

const surfaces = ['standard', 'sandbox'] as const;

/** A key belongs to one surface; the other does not know it. */
export type KeySurface = (typeof surfaces)[number];

export interface NewKey {
  readonly surface: KeySurface;
  /** Calls in any sliding second; null: unlimited. Left out: 10. */
  readonly perSecond?: number | null;
  /** Null: unlimited. Left out: 10,000. */
  readonly perDay?: number | null;
  /** Null: never. */
  readonly expiresAt?: Date | null;
  /** For people; never part of an answer. */
  readonly name: string;
  readonly random?: (bytes: number) => Buffer;
}

/** The sandbox's plan in the specification, and the default of a standard key, so that one customer cannot take all capacity. */
export const defaultPlan = { perSecond: 10, perDay: 10_000 } as const;

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Returned only once: the database stores the hash. */
export async function createApiKey(db: Queryable, plan: NewKey): Promise<string> {
  const key = (plan.random ?? randomBytes)(32).toString('base64url');
  await storeApiKey(db, key, plan);
  return key;
}

/** Stores the hash of an existing key. Returns whether it is new; a key that is already stored keeps its plan. */
export async function storeApiKey(db: Queryable, key: string, plan: Omit<NewKey, 'random'>): Promise<boolean> {
  const { perSecond = defaultPlan.perSecond, perDay = defaultPlan.perDay, expiresAt = null } = plan;
  const { rowCount } = await db.query(
    `WITH added AS (
       INSERT INTO risk.api_keys (key_sha256, surface, name, per_second, per_day, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING RETURNING key_sha256)
     INSERT INTO risk.key_usage (key_sha256) SELECT key_sha256 FROM added`,
    [hashKey(key), plan.surface, plan.name, perSecond, perDay, expiresAt],
  );
  return rowCount === 1;
}

export interface StoredKey {
  /** The first 16 hexadecimal digits of the hash. */
  readonly id: string;
  readonly surface: KeySurface;
  readonly name: string;
  /** Null: unlimited. */
  readonly perSecond: number | null;
  /** Null: unlimited. */
  readonly perDay: number | null;
  /** Calls counted in this UTC day; a key without limits is not counted. */
  readonly usedToday: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

interface KeyRow extends Record<string, unknown> {
  id: string;
  surface: KeySurface;
  name: string;
  per_second: number | null;
  per_day: number | null;
  used_today: number;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export async function listApiKeys(db: Queryable): Promise<StoredKey[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT left(encode(k.key_sha256, 'hex'), 16) AS id, k.surface, k.name, k.per_second, k.per_day, k.created_at, k.expires_at, k.revoked_at,
       CASE WHEN u.day = (now() AT TIME ZONE 'UTC')::date THEN u.accepted_today ELSE 0 END AS used_today
     FROM risk.api_keys k LEFT JOIN risk.key_usage u USING (key_sha256) ORDER BY k.created_at, 1`,
  );
  return rows.map((row) => ({
    id: row.id,
    surface: row.surface,
    name: row.name,
    perSecond: row.per_second,
    perDay: row.per_day,
    usedToday: row.used_today,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }));
}

/** Revokes a key. Returns whether a valid key had this id. */
export async function revokeApiKey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE risk.api_keys SET revoked_at = now() WHERE left(encode(key_sha256, 'hex'), 16) = $1 AND revoked_at IS NULL`,
    [id],
  );
  return rowCount === 1;
}
