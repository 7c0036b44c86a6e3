import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { goodTokenHashes } from './tokens.ts';

/** Good tokens are known again after this; the database is asked no more often, whoever knocks. */
const freshMs = 1_000;
/** Each is some hundred bytes here. */
const mostTokens = 10_000;

/** Whether a token is stored, told without a question to the database for each. For who is asked too much. */
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
