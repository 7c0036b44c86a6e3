import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { goodTokenHashes } from './tokens.ts';

/** A list's lifetime, which also bounds the queries to the database. */
const freshMs = 1_000;
const mostTokens = 10_000;

/** Checks a token against a cached list, without a query per token. For limited callers. */
export class GoodTokens {
  readonly #db: Queryable;
  readonly #clock: Clock;
  #known: { readonly hashes: ReadonlySet<string>; readonly readAt: number } | undefined;
  #reading: Promise<ReadonlySet<string>> | undefined;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async has(hash: Buffer): Promise<boolean> {
    return (await this.#fresh()).has(hash.toString('hex'));
  }

  async #fresh(): Promise<ReadonlySet<string>> {
    if (this.#known !== undefined && this.#clock.monotonic() - this.#known.readAt < freshMs) return this.#known.hashes;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<ReadonlySet<string>> {
    const readAt = this.#clock.monotonic();
    const hashes = await goodTokenHashes(this.#db, mostTokens);
    this.#known = { hashes, readAt };
    return hashes;
  }
}
