import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { createApiKey, listApiKeys, migrateRiskApi, revokeApiKey, type StoredKey, type KeySurface } from '@weir/risk-api';
import { hashToken, listTokens, recordActivity, revokeToken, type Role, type StoredToken, storeToken, tokenId } from '@weir/service-kit';
import { operator } from '../operator.ts';

export interface NewKey {
  /** Its purpose or its holder. */
  readonly name: string;
  readonly surface?: KeySurface;
  readonly role?: Role;
  readonly perSecond?: number;
  readonly perDay?: number;
  readonly unlimited?: true;
  readonly expires?: Date;
}

/** A key or a token as shown; exactly one of surface and role is not null. Times are RFC 3339. */
export interface KeyView {
  readonly id: string;
  readonly surface: KeySurface | null;
  readonly role: Role | null;
  readonly name: string;
  readonly per_second: number | null;
  readonly per_day: number | null;
  readonly used_today: number;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly expired: boolean;
  readonly revoked_at: string | null;
}

/** The risk API may never have run on this database. */
export function prepareKeys(pool: Pool): Promise<void> {
  return migrateRiskApi(pool);
}

/** Creates a key or a token. The database stores only its hash. */
export async function createKey(pool: Pool, flags: NewKey): Promise<{ key: string; view: KeyView }> {
  await prepareKeys(pool);
  const key = await transaction(pool, async (tx) => {
    const made = await make(tx, flags);
    const { name, role, surface = 'standard' } = flags;
    await record(tx, 'key_created', idOf(made), { name, ...(role === undefined ? { surface } : { role }) });
    return made;
  });
  return { key, view: await findKey(pool, idOf(key)) };
}

function idOf(key: string): string {
  return tokenId(hashToken(key));
}

function record(
  tx: Queryable,
  action: 'key_created' | 'key_revoked',
  subject: string,
  details: Readonly<Record<string, string | null>>,
): Promise<void> {
  return recordActivity(tx, { action, subjectType: 'key', subject, by: operator(), details, at: systemClock.now() });
}

async function make(db: Queryable, { name, surface, role, perSecond, perDay, unlimited, expires }: NewKey): Promise<string> {
  if (role !== undefined) {
    const token = randomBytes(32).toString('base64url');
    await storeToken(db, token, role, name, { perSecond: perSecond ?? null, perDay: perDay ?? null });
    return token;
  }
  return createApiKey(db, {
    surface: surface ?? 'standard',
    name,
    ...(unlimited ? { perSecond: null, perDay: null } : {}),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(perDay === undefined ? {} : { perDay }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  });
}

/** Keys of the risk API and tokens of the pipeline, oldest first. */
export async function listKeys(pool: Pool): Promise<KeyView[]> {
  await prepareKeys(pool);
  const all = [...(await listApiKeys(pool)).map(viewOfKey), ...(await listTokens(pool)).map(viewOfToken)];
  return all.sort((a, b) => (a.created_at < b.created_at ? -1 : Number(a.created_at > b.created_at)));
}

/** The only one whose id has this prefix. */
export async function findKey(pool: Pool, start: string): Promise<KeyView> {
  const [found, another] = (await listKeys(pool)).filter(({ id }) => id.startsWith(start));
  if (found === undefined) throw new Error(`no key and no token has the id ${start}; "weir keys list" shows them`);
  if (another !== undefined) throw new Error(`several ids begin with ${start}; give more digits`);
  return found;
}

export async function revokeKey(pool: Pool, key: KeyView): Promise<void> {
  await transaction(pool, async (tx) => {
    const isRevoked = await (key.surface === null ? revokeToken(tx, key.id) : revokeApiKey(tx, key.id));
    if (isRevoked)
      await record(tx, 'key_revoked', key.id, { name: key.name, ...(key.role === null ? { surface: key.surface } : { role: key.role }) });
  });
}

function viewOfKey(key: StoredKey): KeyView {
  return {
    id: key.id,
    surface: key.surface,
    role: null,
    name: key.name,
    per_second: key.perSecond,
    per_day: key.perDay,
    used_today: key.usedToday,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    expired: key.expiresAt !== null && key.expiresAt.getTime() <= systemClock.now(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function viewOfToken(token: StoredToken): KeyView {
  const none = { surface: null, used_today: 0, expires_at: null, expired: false };
  const { id, role, name, perSecond, perDay } = token;
  const limits = { per_second: perSecond, per_day: perDay };
  return {
    ...none,
    ...limits,
    id,
    role,
    name,
    created_at: token.createdAt.toISOString(),
    revoked_at: token.revokedAt?.toISOString() ?? null,
  };
}
