import { createHash } from 'node:crypto';
import { type Migration, prepared, type Queryable } from '@weir/postgres';
import type { MiddlewareHandler } from 'hono';
import { problem } from './http.ts';

/** What a bearer token allows: `auditor` reads everything, `reviewer` and `approver` also decide held transfers, `ingest` and `gate` belong to machines. */
export const roles = ['ingest', 'gate', 'reviewer', 'approver', 'auditor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Who calls, as far as the token says. */
export interface Caller {
  /** Names the token without giving it away: the first 16 hexadecimal digits of its hash. */
  readonly tokenId: string;
  readonly role: Role;
  /** As it was given when the token was made. */
  readonly name: string;
}

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `requireRole`. */
    caller: Caller;
  }
}

/** Roles that may read everything. */
export const readers: readonly Role[] = ['reviewer', 'approver', 'auditor', 'admin'];

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
];

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Stores a token's hash. The token itself is a secret of 32 random bytes that only its holder keeps. */
export async function storeToken(db: Queryable, token: string, role: Role, name: string): Promise<void> {
  await db.query('INSERT INTO access.tokens (token_sha256, role, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    hash(token),
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

/** Lets a request pass whose bearer token has one of `allowed`, with `caller` set. No or unknown token: 401, another role: 403. */
export function requireRole(db: Queryable, allowed: readonly Role[]): MiddlewareHandler {
  return async (c, next) => {
    const token = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = token === undefined ? undefined : await callerOf(db, token);
    if (caller === undefined) {
      c.header('www-authenticate', 'Bearer');
      return problem(c, 401, 'UNAUTHENTICATED', 'a valid bearer token is needed');
    }
    if (!allowed.includes(caller.role)) return problem(c, 403, 'FORBIDDEN', `the role ${caller.role} may not do this`);
    c.set('caller', caller);
    return next();
  };
}

async function callerOf(db: Queryable, token: string): Promise<Caller | undefined> {
  const { rows } = await db.query<{ id: string; role: Role; name: string }>(
    prepared(
      `SELECT left(encode(token_sha256, 'hex'), 16) AS id, role, name FROM access.tokens WHERE token_sha256 = $1 AND revoked_at IS NULL`,
    ),
    [hash(token)],
  );
  const [row] = rows;
  return row === undefined ? undefined : { tokenId: row.id, role: row.role, name: row.name };
}
