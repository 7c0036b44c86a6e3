import type { Clock } from '@weir/clock';
import { type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { listTokens, recordActivity, revokeToken, type StoredToken } from '@weir/service-kit';
import type { LiveSession, Sessions } from '@weir/sessions';

interface Acting {
  readonly db: Pool;
  readonly clock: Clock;
}

/** Revokes a token for good; whether it was good before. A repeat is no act. */
export function revoke({ db, clock }: Acting, token: StoredToken, reason: string, by: Person): Promise<boolean> {
  return transaction(db, async (tx) => {
    const isRevoked = await revokeToken(tx, token.id);
    const details = { name: token.name, role: token.role, reason };
    if (isRevoked) await recordActivity(tx, { action: 'key_revoked', subjectType: 'key', subject: token.id, by, details, at: clock.now() });
    return isRevoked;
  });
}

/** Whether it was live. */
export function endSession({ db, clock }: Acting, sessions: Sessions, { id, name, role }: LiveSession, by: Person): Promise<boolean> {
  return transaction(db, async (tx) => {
    const isEnded = await sessions.endById(tx, id);
    const details = { name, role };
    if (isEnded) await recordActivity(tx, { action: 'session_ended', subjectType: 'session', subject: id, by, details, at: clock.now() });
    return isEnded;
  });
}

export async function findToken(db: Queryable, id: string): Promise<StoredToken | undefined> {
  return (await listTokens(db)).find((token) => token.id === id);
}

export interface ProcessSettings {
  readonly process: string;
  readonly since: Date;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** Each process notes its settings at the start, where they differ from those of its last start. */
export async function latestSettings(db: Queryable): Promise<ProcessSettings[]> {
  const { rows } = await db.query<ProcessSettings & Record<string, unknown>>(
    `SELECT DISTINCT ON (subject) subject AS process, recorded_at AS since, details AS settings
     FROM access.activities WHERE action = 'settings_changed' ORDER BY subject, number DESC`,
  );
  return rows;
}

export interface KnownPerson {
  readonly id: string;
  readonly name: string;
  readonly lastSeenAt: Date;
  readonly acts: number;
  /** Whether a token that is not revoked is theirs. */
  readonly hasToken: boolean;
}

/** Whoever has a token, signed in lately or ever acted, the last seen first. Machines and Weir itself are left out. */
export async function listPeople(db: Queryable, roles: readonly string[], limit: number): Promise<KnownPerson[]> {
  const { rows } = await db.query<KnownPerson & Record<string, unknown>>(
    `WITH seen AS (
       SELECT person_id AS id, person_name AS name, recorded_at AS at, 1 AS acts, false AS token FROM access.activities
       UNION ALL SELECT resolved_by, resolved_by_name, resolved_at, 1, false FROM console.resolutions
       UNION ALL SELECT answered_by, answered_by_name, answered_at, 1, false FROM console.resolutions WHERE answered_by IS NOT NULL
       UNION ALL SELECT role || ':' || left(encode(token_sha256, 'hex'), 16), name, created_at, 0, true FROM access.tokens WHERE revoked_at IS NULL
       UNION ALL SELECT coalesce(t.role, s.role) || ':' || s.caller_id, coalesce(t.name, s.name), s.used_at, 0, false
         FROM console.sessions s LEFT JOIN access.tokens t ON t.token_sha256 = s.token_sha256)
     SELECT id, (array_agg(name ORDER BY at DESC))[1] AS name, max(at) AS "lastSeenAt", sum(acts)::int AS acts, bool_or(token) AS "hasToken"
     FROM seen WHERE split_part(id, ':', 1) = ANY($1) GROUP BY id ORDER BY 3 DESC, 1 LIMIT $2`,
    [roles, limit],
  );
  return rows;
}

/** Acts that are read for the names of people who have no token and no session now. */
const latestActs = 10_000;

/** The names of people with these roles who have a token or a session, or acted lately, in their order. */
export async function listNames(db: Queryable, roles: readonly string[], limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    prepared(`SELECT DISTINCT name FROM (
       SELECT role, name FROM access.tokens WHERE revoked_at IS NULL
       UNION ALL SELECT coalesce(t.role, s.role), coalesce(t.name, s.name) FROM console.sessions s LEFT JOIN access.tokens t ON t.token_sha256 = s.token_sha256
       UNION ALL (SELECT split_part(person_id, ':', 1), person_name FROM access.activities ORDER BY number DESC LIMIT ${latestActs})) AS known
     WHERE role = ANY($1) LIMIT $2`),
    [roles, limit],
  );
  return rows.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
}

export interface StoredAct {
  readonly number: bigint;
  readonly activity_id: string;
  readonly action: string;
  readonly subject_type: string;
  readonly subject: string;
  readonly person_id: string;
  readonly person_name: string;
  readonly details: readonly { readonly name: string; readonly value: string | null }[];
  readonly recorded_at: Date;
}

/** The newest first, those before this number. */
export async function listActs(db: Queryable, limit: number, before: bigint | undefined): Promise<StoredAct[]> {
  const { rows } = await db.query<StoredAct & Record<string, unknown>>(
    `SELECT number, activity_id, action, subject_type, subject, person_id, person_name, details, recorded_at
     FROM access.activities WHERE $2::bigint IS NULL OR number < $2 ORDER BY number DESC LIMIT $1`,
    [limit, before ?? null],
  );
  return rows;
}
