import { createHash } from 'node:crypto';
import { prepared, type Queryable } from '@weir/postgres';
import { type Caller, needsPerson, type Role, type TokenLimits } from './roles.ts';

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
export async function storeToken(db: Queryable, token: string, role: Role, name: string, limits: Partial<TokenLimits> = {}): Promise<void> {
  if (needsPerson(role) && name.trim() === '') throw new TypeError(`a token for ${role} belongs to a named person`);
  await db.query(
    'INSERT INTO access.tokens (token_sha256, role, name, per_second, per_day) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
    [hashToken(token), role, name, limits.perSecond ?? null, limits.perDay ?? null],
  );
}

/** A token as it is stored; the token itself is known to its holder alone. */
export interface StoredToken extends TokenLimits {
  /** The first 16 hexadecimal digits of the hash. */
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Every token, oldest first. */
export async function listTokens(db: Queryable): Promise<StoredToken[]> {
  const { rows } = await db.query<TokenLimits & { id: string; role: Role; name: string; createdAt: Date; revokedAt: Date | null }>(
    `SELECT left(encode(token_sha256, 'hex'), 16) AS id, role, name, created_at AS "createdAt", revoked_at AS "revokedAt",
       per_second AS "perSecond", per_day AS "perDay" FROM access.tokens ORDER BY created_at, 1`,
  );
  return rows;
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
  const { rows } = await db.query<TokenLimits & { role: Role; name: string }>(
    prepared(
      'SELECT role, name, per_second AS "perSecond", per_day AS "perDay" FROM access.tokens WHERE token_sha256 = $1 AND revoked_at IS NULL',
    ),
    [hash],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { role, name, perSecond, perDay } = row;
  return { id: tokenId(hash), role, name, limits: { perSecond, perDay } };
}

/** Hashes of at most `limit` good tokens, in hexadecimal, the newest first. */
export async function goodTokenHashes(db: Queryable, limit: number): Promise<Set<string>> {
  const { rows } = await db.query<{ hash: string }>(
    `SELECT encode(token_sha256, 'hex') AS hash FROM access.tokens WHERE revoked_at IS NULL ORDER BY created_at DESC LIMIT $1`,
    [limit],
  );
  return new Set(rows.map(({ hash }) => hash));
}
