import { createHash } from 'node:crypto';
import { type Migration, prepared, type Queryable } from '@weir/postgres';
import { type Caller, needsPerson, type Role } from './roles.ts';

export const accessMigrations: readonly Migration[] = [
  {
    id: 'access/0001-tokens',
    sql: `
      CREATE SCHEMA access;
      CREATE TABLE access.tokens (
        token_sha256 bytea PRIMARY KEY,
        role text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz);`,
  },
  {
    id: 'access/0002-named-people',
    sql: `
      -- Who resolves or approves is somebody.
      ALTER TABLE access.tokens ADD CONSTRAINT tokens_person CHECK (role NOT IN ('reviewer', 'approver') OR btrim(name) <> '') NOT VALID;`,
  },
];

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Names a token without giving it away. */
export function tokenId(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

/**
 * Stores a token's hash. The token itself is a secret of 32 random bytes that only its holder keeps. `name`: of the machine that holds it, or of the
 * person, under which all of that person's tokens are stored.
 */
export async function storeToken(db: Queryable, token: string, role: Role, name: string): Promise<void> {
  if (needsPerson(role) && name.trim() === '') throw new TypeError(`a token for ${role} belongs to a named person`);
  await db.query('INSERT INTO access.tokens (token_sha256, role, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    hashToken(token),
    role,
    name,
  ]);
}

/** A token as it is stored; the token itself is known to its holder alone. */
export interface StoredToken {
  /** The first 16 hexadecimal digits of the hash. */
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Every token, oldest first. */
export async function listTokens(db: Queryable): Promise<StoredToken[]> {
  const { rows } = await db.query<{ id: string; role: Role; name: string; created_at: Date; revoked_at: Date | null }>(
    `SELECT left(encode(token_sha256, 'hex'), 16) AS id, role, name, created_at, revoked_at FROM access.tokens ORDER BY created_at, 1`,
  );
  return rows.map((row) => ({ id: row.id, role: row.role, name: row.name, createdAt: row.created_at, revokedAt: row.revoked_at }));
}

/** From now on the token opens nothing. Returns whether there was such a token that was still good. */
export async function revokeToken(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE access.tokens SET revoked_at = now() WHERE left(encode(token_sha256, 'hex'), 16) = $1 AND revoked_at IS NULL`,
    [id],
  );
  return rowCount === 1;
}

/** Whose token that is; undefined for one that is unknown or revoked. */
export async function findToken(db: Queryable, hash: Buffer): Promise<Caller | undefined> {
  const { rows } = await db.query<{ role: Role; name: string }>(
    prepared('SELECT role, name FROM access.tokens WHERE token_sha256 = $1 AND revoked_at IS NULL'),
    [hash],
  );
  const [row] = rows;
  return row === undefined ? undefined : { id: tokenId(hash), role: row.role, name: row.name };
}

/** Hashes of at most `limit` good tokens, in hexadecimal, the newest first. */
export async function goodTokenHashes(db: Queryable, limit: number): Promise<Set<string>> {
  const { rows } = await db.query<{ hash: string }>(
    `SELECT encode(token_sha256, 'hex') AS hash FROM access.tokens WHERE revoked_at IS NULL ORDER BY created_at DESC LIMIT $1`,
    [limit],
  );
  return new Set(rows.map(({ hash }) => hash));
}
