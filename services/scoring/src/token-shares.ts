import { type Pool, prepared } from '@weir/postgres';
import { machineRoles } from '@weir/service-kit';

export interface TokenSharesOptions {
  readonly pool: Pool;
  /** Creates that the provider allows in a day. */
  readonly perDay: number;
  /** In percent. */
  readonly tokenShareOfDay: number;
}

/** SQL: the UTC day. The database's, so that replicas whose clocks differ share a count. */
const today = "(now() AT TIME ZONE 'UTC')::date";

/**
 * Creates per token in this UTC day, over all replicas, against the token's share. Replicas exchange counts by `sync`, so together they may
 * exceed a share by the creates between two syncs.
 */
export class TokenShares {
  readonly #o: TokenSharesOptions;
  readonly #share: number;
  /** Counts of all replicas, as last read. */
  #stored: ReadonlyMap<string, number> = new Map();
  /** Counts of this replica, not stored yet. */
  readonly #own = new Map<string, number>();
  #limits: ReadonlyMap<string, number> = new Map();
  /** A share protects other tokens: without any it does not apply. */
  #hasOthers = false;

  constructor(options: TokenSharesOptions) {
    this.#o = options;
    this.#share = Math.floor((options.perDay * options.tokenShareOfDay) / 100);
  }

  charge(tokenId: string): void {
    this.#own.set(tokenId, (this.#own.get(tokenId) ?? 0) + 1);
  }

  hasSpent(tokenId: string | null): boolean {
    if (tokenId === null) return false;
    const limit = this.#limits.get(tokenId) ?? (this.#hasOthers ? this.#share : Number.POSITIVE_INFINITY);
    return (this.#stored.get(tokenId) ?? 0) + (this.#own.get(tokenId) ?? 0) >= limit;
  }

  spent(): string[] {
    return [...new Set([...this.#stored.keys(), ...this.#own.keys(), ...this.#limits.keys()])].filter((id) => this.hasSpent(id));
  }

  async sync(): Promise<void> {
    const { pool } = this.#o;
    const own = [...this.#own].sort(([a], [b]) => (a < b ? -1 : 1));
    if (own.length > 0) {
      await pool.query(
        prepared(`INSERT INTO scoring.token_days AS d (token_id, day, creates) SELECT u.id, ${today}, u.creates FROM unnest($1::text[], $2::int[]) AS u(id, creates)
         ON CONFLICT (token_id, day) DO UPDATE SET creates = d.creates + excluded.creates`),
        [own.map(([id]) => id), own.map(([, creates]) => creates)],
      );
      const stored = new Map(this.#stored);
      for (const [id, creates] of own) {
        stored.set(id, (stored.get(id) ?? 0) + creates);
        const left = (this.#own.get(id) ?? 0) - creates;
        if (left > 0) this.#own.set(id, left);
        else this.#own.delete(id);
      }
      this.#stored = stored;
    }
    const [days, tokens] = await Promise.all([
      pool.query<{ token_id: string; creates: number }>(prepared(`SELECT token_id, creates FROM scoring.token_days WHERE day = ${today}`)),
      pool.query<{ id: string; per_day: number | null; is_good_machine: boolean }>(
        prepared(`SELECT left(encode(token_sha256, 'hex'), 16) AS id, per_day, revoked_at IS NULL AND role = ANY($1::text[]) AS is_good_machine
         FROM access.tokens WHERE per_day IS NOT NULL OR (revoked_at IS NULL AND role = ANY($1::text[]))`),
        [machineRoles],
      ),
    ]);
    this.#stored = new Map(days.rows.map((row) => [row.token_id, row.creates]));
    this.#limits = new Map(tokens.rows.flatMap(({ id, per_day }) => (per_day === null ? [] : [[id, per_day]])));
    this.#hasOthers = tokens.rows.filter((row) => row.is_good_machine).length > 1;
  }

  async trim(): Promise<void> {
    await this.#o.pool.query(`DELETE FROM scoring.token_days WHERE day < ${today} - 1`);
  }
}
