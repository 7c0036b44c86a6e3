import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';

export interface ReportKey {
  readonly id: string;
  readonly secret: KeyObject;
  readonly createdAtMs: number;
}

export interface ReportKeysOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly random: (bytes: number) => Buffer;
  /** Lifetime of a token. */
  readonly tokenLifeMs: number;
}

/** A key signs for this long. */
const rotateAfterMs = 30 * 86_400_000;
/** How late a newer key of another replica is noticed. */
const refreshMs = 60_000;
/** An unknown key id may be another replica's newest key. Forged ids must not cause a query more often than this. */
const lookAgainMs = 1_000;
/** Two with the default token lifetime; more only if that spans several rotations. */
const maxKeys = 16;

/**
 * The keys of `risk.report_keys`, cached: signing and verifying query the database once a minute. The first use makes the first key.
 * Two replicas may make one at once; both verify, and the newer one signs.
 */
export class ReportKeys {
  readonly #options: ReportKeysOptions;
  #keys: readonly ReportKey[] = [];
  #loadedAt = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(options: ReportKeysOptions) {
    this.#options = options;
  }

  /** The signing key. Rejects on a database error, unless a key is cached. */
  async newest(): Promise<ReportKey> {
    if (this.#isStale(refreshMs)) {
      await this.#load().catch((error: unknown) => {
        if (this.#keys[0] === undefined) throw error;
      });
    }
    const [key] = this.#keys;
    if (key === undefined) throw new Error('a key for reports could be neither found nor made');
    return key;
  }

  async find(id: string): Promise<ReportKey | undefined> {
    const known = (): ReportKey | undefined => this.#keys.find((key) => key.id === id);
    if (known() === undefined && this.#isStale(lookAgainMs)) await this.#load();
    return known();
  }

  #isStale(limitMs: number): boolean {
    return this.#options.clock.monotonic() - this.#loadedAt >= limitMs;
  }

  #load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    const { clock } = this.#options;
    let keys = await this.#select();
    if (clock.now() - (keys[0]?.createdAtMs ?? -Infinity) >= rotateAfterMs) {
      await this.#rotate();
      keys = await this.#select();
    }
    this.#keys = keys;
    this.#loadedAt = clock.monotonic();
  }

  async #select(): Promise<ReportKey[]> {
    const { rows } = await this.#options.db.query<{ id: string; secret: Buffer; created_at: Date }>(
      'SELECT id, secret, created_at FROM risk.report_keys ORDER BY created_at DESC, id LIMIT $1',
      [maxKeys],
    );
    return rows.map(({ id, secret, created_at }) => ({ id, secret: createSecretKey(secret), createdAtMs: created_at.getTime() }));
  }

  /** Makes a key unless another replica just did; deletes keys that were replaced longer ago than a token lives. */
  async #rotate(): Promise<void> {
    const { db, clock, random, tokenLifeMs } = this.#options;
    const now = clock.now();
    await db.query(
      `INSERT INTO risk.report_keys (id, secret, created_at)
       SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM risk.report_keys WHERE created_at > $4)`,
      [random(8).toString('hex'), random(32), new Date(now), new Date(now - rotateAfterMs)],
    );
    await db.query(
      'DELETE FROM risk.report_keys k WHERE EXISTS (SELECT FROM risk.report_keys n WHERE n.created_at > k.created_at AND n.created_at < $1)',
      [new Date(now - tokenLifeMs - 2 * refreshMs)],
    );
  }
}
