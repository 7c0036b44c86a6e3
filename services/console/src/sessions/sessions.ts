import { prepared, type Queryable } from '@weir/postgres';
import { type Caller, hashToken, type Role, tokenId } from '@weir/service-kit';

export interface SessionLimits {
  /** Without a request for this time a session ends. */
  readonly idleMs: number;
  /** A session ends after this time, whatever is asked. */
  readonly maxMs: number;
}

export interface SessionsOptions {
  readonly db: Queryable;
  readonly limits: SessionLimits;
  readonly random: (bytes: number) => Buffer;
}

/** Whose session it is: of a stored token, or of a person of the OIDC provider until that token ends. */
export type Holder = { readonly tokenSha256: Buffer } | { readonly caller: Caller; readonly endsAt: Date };

export interface Session {
  readonly caller: Caller;
  readonly endsAt: Date;
}

interface Row {
  readonly caller_id: string;
  readonly role: Role;
  readonly name: string;
  readonly ends_at: Date;
  readonly is_stale: boolean;
}

/** A session is used at most this much later than its row says. */
const noteUseEveryMs = 60_000;

/** Sessions of the web console. A session's secret is 32 random bytes, and stored as its hash. */
export class Sessions {
  readonly #db: Queryable;
  readonly #limits: SessionLimits;
  readonly #random: (bytes: number) => Buffer;

  constructor({ db, limits, random }: SessionsOptions) {
    this.#db = db;
    this.#limits = limits;
    this.#random = random;
  }

  /** Returns the session's secret. The holder's token must have been checked. */
  async begin(holder: Holder): Promise<string> {
    const secret = this.#random(32).toString('base64url');
    const { tokenSha256 } = { tokenSha256: undefined, ...holder };
    const { caller, endsAt } = { caller: undefined, endsAt: undefined, ...holder };
    await this.#db.query('DELETE FROM console.sessions WHERE ends_at < clock_timestamp()');
    await this.#db.query(
      `INSERT INTO console.sessions (session_sha256, token_sha256, caller_id, role, name, ends_at)
       VALUES ($1, $2, $3, $4, $5, least($6, clock_timestamp() + make_interval(secs => $7)))`,
      [
        hashToken(secret),
        tokenSha256,
        caller?.id ?? (tokenSha256 && tokenId(tokenSha256)),
        caller?.role,
        caller?.name,
        endsAt?.toISOString(),
        this.#limits.maxMs / 1_000,
      ],
    );
    return secret;
  }

  /** Undefined for an unknown or ended session, and for one whose token was revoked. */
  async find(secret: string): Promise<Session | undefined> {
    const { rows } = await this.#db.query<Row>(
      prepared(`
        SELECT s.caller_id, coalesce(t.role, s.role) AS role, coalesce(t.name, s.name) AS name, s.ends_at,
          s.used_at < clock_timestamp() - make_interval(secs => $3) AS is_stale
        FROM console.sessions s LEFT JOIN access.tokens t ON t.token_sha256 = s.token_sha256
        WHERE s.session_sha256 = $1 AND s.ends_at > clock_timestamp() AND s.used_at > clock_timestamp() - make_interval(secs => $2)
          AND (s.token_sha256 IS NULL OR (t.token_sha256 IS NOT NULL AND t.revoked_at IS NULL))`),
      [hashToken(secret), this.#limits.idleMs / 1_000, noteUseEveryMs / 1_000],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    if (row.is_stale) {
      await this.#db.query('UPDATE console.sessions SET used_at = clock_timestamp() WHERE session_sha256 = $1', [hashToken(secret)]);
    }
    return { caller: { id: row.caller_id, role: row.role, name: row.name }, endsAt: row.ends_at };
  }

  async end(secret: string): Promise<void> {
    await this.#db.query('DELETE FROM console.sessions WHERE session_sha256 = $1', [hashToken(secret)]);
  }
}
