import { prepared, type Queryable } from '@weir/postgres';
import { type Caller, hashToken, type Role } from '@weir/service-kit';

export interface SessionLimits {
  /** Without use for this time a session ends. */
  readonly idleMs: number;
  /** A session ends after this time, whatever is asked. */
  readonly maxMs: number;
}

export interface SessionsOptions {
  readonly db: Queryable;
  readonly limits: SessionLimits;
  readonly random: (bytes: number) => Buffer;
  /** Whether `find` notes that a session is used. Default true. */
  readonly notesUse?: boolean;
}

/** Whose session it is, after the token was checked: of a stored token, or of a person of the OIDC provider until that token ends. */
export type Holder = { readonly caller: Caller } & ({ readonly tokenSha256: Buffer } | { readonly until: Date });

export interface Session extends SessionTimes {
  readonly caller: Caller;
}

export interface SessionTimes {
  readonly endsAt: Date;
  /** Without use. */
  readonly idle: TimeLimit;
  /** From its beginning to `endsAt`. */
  readonly absolute: TimeLimit;
}

/** Milliseconds. */
export interface TimeLimit {
  readonly limitMs: number;
  readonly leftMs: number;
}

/** A session that has just begun. */
export interface NewSession extends Session {
  readonly secret: string;
}

/** As others see it. */
export interface LiveSession {
  /** The first 16 hex digits of the hash of its secret. */
  readonly id: string;
  /** Of the token or person. */
  readonly callerId: string;
  readonly role: Role;
  readonly name: string;
  readonly begunAt: Date;
  readonly usedAt: Date;
  readonly endsAt: Date;
}

interface Row {
  readonly caller_id: string;
  readonly role: Role;
  readonly name: string;
  readonly ends_at: Date;
  readonly absolute_ms: number;
  readonly age_ms: number;
  readonly unused_ms: number;
}

/** Condition of a live session: not ended, not idle for too long, and its token is good. */
const isLive = (idleS: string): string => `s.ends_at > clock_timestamp() AND s.used_at > clock_timestamp() - make_interval(secs => ${idleS})
          AND (s.token_sha256 IS NULL OR (t.token_sha256 IS NOT NULL AND t.revoked_at IS NULL))`;
const msBetween = (since: string, until: string): string => `greatest(0, round(extract(epoch FROM ${until} - ${since}) * 1000))::float8`;
const limitOf = (limitMs: number, pastMs: number): TimeLimit => ({ limitMs, leftMs: Math.max(0, limitMs - pastMs) });
const from = 'console.sessions s LEFT JOIN access.tokens t ON t.token_sha256 = s.token_sha256';

/** A session is used at most this much later than its row says, or a quarter of the idle time. */
const noteUseEveryMs = 60_000;

/** Sessions of the web console. A session's secret is 32 random bytes, and stored as its hash. */
export class Sessions {
  readonly #db: Queryable;
  readonly #limits: SessionLimits;
  readonly #random: (bytes: number) => Buffer;
  readonly #notesUse: boolean;

  constructor({ db, limits, random, notesUse = true }: SessionsOptions) {
    this.#db = db;
    this.#limits = limits;
    this.#random = random;
    this.#notesUse = notesUse;
  }

  async begin(holder: Holder): Promise<NewSession> {
    const { caller } = holder;
    const secret = this.#random(32).toString('base64url');
    const own = 'until' in holder ? [null, caller.role, caller.name, holder.until.toISOString()] : [holder.tokenSha256, null, null, null];
    await this.#db.query('DELETE FROM console.sessions WHERE ends_at < clock_timestamp()');
    const { rows } = await this.#db.query<Pick<Row, 'ends_at' | 'absolute_ms'>>(
      `INSERT INTO console.sessions (session_sha256, caller_id, token_sha256, role, name, ends_at)
       VALUES ($1, $2, $3, $4, $5, least($6, clock_timestamp() + make_interval(secs => $7))) 
       RETURNING ends_at, ${msBetween('begun_at', 'ends_at')} AS absolute_ms`,
      [hashToken(secret), caller.id, ...own, this.#limits.maxMs / 1_000],
    );
    const { ends_at: endsAt, absolute_ms: absoluteMs } = rows[0] as Pick<Row, 'ends_at' | 'absolute_ms'>;
    return { secret, caller, endsAt, idle: this.#idle(0), absolute: limitOf(absoluteMs, 0) };
  }

  /** Undefined for an unknown or ended session, and for one whose token was revoked. `isUse`: whether its person asks. */
  async find(secret: string, isUse = true): Promise<Session | undefined> {
    const { rows } = await this.#db.query<Row>(
      prepared(`
        SELECT s.caller_id, coalesce(t.role, s.role) AS role, coalesce(t.name, s.name) AS name, s.ends_at,
          ${msBetween('s.begun_at', 's.ends_at')} AS absolute_ms, ${msBetween('s.begun_at', 'clock_timestamp()')} AS age_ms,
          ${msBetween('s.used_at', 'clock_timestamp()')} AS unused_ms
        FROM ${from} WHERE s.session_sha256 = $1 AND ${isLive('$2')}`),
      [hashToken(secret), this.#limits.idleMs / 1_000],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const isNoted = row.unused_ms > Math.min(noteUseEveryMs, this.#limits.idleMs / 4) && isUse && this.#notesUse;
    if (isNoted)
      await this.#db.query('UPDATE console.sessions SET used_at = clock_timestamp() WHERE session_sha256 = $1', [hashToken(secret)]);
    const caller = { id: row.caller_id, role: row.role, name: row.name };
    const idle = this.#idle(isNoted ? 0 : row.unused_ms);
    return { caller, endsAt: row.ends_at, idle, absolute: limitOf(row.absolute_ms, row.age_ms) };
  }

  #idle(unusedMs: number): TimeLimit {
    return limitOf(this.#limits.idleMs, unusedMs);
  }

  /** The last used first. */
  async list(): Promise<LiveSession[]> {
    const { rows } = await this.#db.query<LiveSession & Record<string, unknown>>(
      `SELECT left(encode(s.session_sha256, 'hex'), 16) AS id, s.caller_id AS "callerId", coalesce(t.role, s.role) AS role,
         coalesce(t.name, s.name) AS name, s.begun_at AS "begunAt", s.used_at AS "usedAt", s.ends_at AS "endsAt"
       FROM ${from} WHERE ${isLive('$1')} ORDER BY s.used_at DESC, 1`,
      [this.#limits.idleMs / 1_000],
    );
    return rows;
  }

  /** Whether there was one. */
  async endById(tx: Queryable, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(`DELETE FROM console.sessions WHERE left(encode(session_sha256, 'hex'), 16) = $1`, [id]);
    return (rowCount ?? 0) > 0;
  }

  async end(secret: string): Promise<void> {
    await this.#db.query('DELETE FROM console.sessions WHERE session_sha256 = $1', [hashToken(secret)]);
  }
}
