import { createHash } from 'node:crypto';
import { prepared, type Queryable } from '@weir/postgres';
import { type Caller, needsPerson, type Role, type TokenLimits } from './roles.ts';

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Identifies a token without revealing it. */
export function tokenId(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

/**
 * Returns whether it is new. `token`: a secret of 32 random bytes, kept only by its holder. `name`: the machine's, or the person's, shared by all tokens of that
 * person.
 */
export async function storeToken(
  db: Queryable,
  token: string,
  role: Role,
  name: string,
  limits: Partial<TokenLimits> = {},
): Promise<boolean> {
  if (needsPerson(role) && name.trim() === '') throw new TypeError(`a token for ${role} belongs to a named person`);
  const { rowCount } = await db.query(
    'INSERT INTO access.tokens (token_sha256, role, name, per_second, per_day) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
    [hashToken(token), role, name, limits.perSecond ?? null, limits.perDay ?? null],
  );
  return rowCount === 1;
}

export interface StoredToken extends TokenLimits {
  /** The first 16 hex digits of the hash. */
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export async function listTokens(db: Queryable): Promise<StoredToken[]> {
  const { rows } = await db.query<TokenLimits & { id: string; role: Role; name: string; createdAt: Date; revokedAt: Date | null }>(
    `SELECT left(encode(token_sha256, 'hex'), 16) AS id, role, name, created_at AS "createdAt", revoked_at AS "revokedAt",
       per_second AS "perSecond", per_day AS "perDay" FROM access.tokens ORDER BY created_at, 1`,
  );
  return rows;
}

/** Revokes a token. Returns whether it existed and was not yet revoked. */
export async function revokeToken(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE access.tokens SET revoked_at = now() WHERE left(encode(token_sha256, 'hex'), 16) = $1 AND revoked_at IS NULL`,
    [id],
  );
  return rowCount === 1;
}

/** The token's caller; undefined if unknown or revoked. */
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

/** Hashes of at most `limit` valid tokens, in hex, newest first. */
export async function goodTokenHashes(db: Queryable, limit: number): Promise<Set<string>> {
  const { rows } = await db.query<{ hash: string }>(
    `SELECT encode(token_sha256, 'hex') AS hash FROM access.tokens WHERE revoked_at IS NULL ORDER BY created_at DESC LIMIT $1`,
    [limit],
  );
  return new Set(rows.map(({ hash }) => hash));
}
