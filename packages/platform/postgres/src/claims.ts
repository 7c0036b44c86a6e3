import { type Clock, repeat, Signal } from '@weir/clock';
import { type Pool, prepared } from './pool.ts';

/** Abandoned rows, and rows that nobody announced, are found within this time. */
const lookEveryMs = 1_000;
/** Longer than any transaction that inserts owned rows. */
const expectMs = 60_000;

/** A row that this process owns. */
export interface Claimed {
  /** Its primary key. */
  readonly id: bigint | string;
  /** Our session in the row. `Claims` updates it when the row is claimed again after a reconnect. */
  owner: string;
  /** A claim in another round replaces the row's earlier work. */
  readonly round?: number;
}

export interface ClaimsOptions<Row extends Claimed> {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Name of this process's session: `Session.owner`. */
  readonly owner: () => string;
  /** Its column `owner` (text) holds a session, or null. Every transaction locks its rows in the order of `lockOrder`. */
  readonly table: { readonly name: string; readonly key: string; readonly keyType: 'int8' | 'uuid'; readonly lockOrder: string };
  /** Sets `owner` in due rows without one, `FOR UPDATE SKIP LOCKED`, as many as there is room for. */
  readonly claim: (owner: string) => Promise<readonly Row[]>;
  /** Receives each claimed row, in the order of `claim`. Calls `run` now or later. `replaced`: the same row of an earlier round. */
  readonly begin: (row: Row, replaced: Row | undefined) => void;
  /** Runs once a second, before the claim. */
  readonly upkeep?: () => Promise<void>;
  /** Receives errors of the loop, and of the work on a row. Must not throw. */
  readonly onError: (error: unknown, row?: Row) => void;
}

/**
 * Rows of a table that replicas share: each row has at most one owner, a session of one process. Rows of a dead session are freed and
 * claimed by others. One loop claims, every second or when notified; to wake other processes, notify it from `Session.listen`.
 */
export class Claims<Row extends Claimed> {
  readonly #o: ClaimsOptions<Row>;
  readonly #held = new Map<Row['id'], Row>();
  /** Until when they are, monotonic. */
  readonly #expected = new Map<Row['id'], number>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #wakeup: Signal;
  readonly #findAbandoned: string;
  readonly #free: string;
  /** Monotonic. */
  #upkeepAt = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: ClaimsOptions<Row>) {
    this.#o = options;
    this.#wakeup = new Signal(options.clock);
    const { name, key, keyType, lockOrder } = options.table;
    // The second condition: rows of this session whose release failed. OFFSET 0: otherwise PostgreSQL asks once for each row.
    this.#findAbandoned = prepared(`SELECT ${key} AS id, owner FROM ${name}
       WHERE owner IN (SELECT owner FROM (SELECT DISTINCT owner FROM ${name} WHERE owner IS NOT NULL OFFSET 0) AS owners WHERE NOT weir.session_alive(owner))
          OR (owner = $1 AND ${key} <> ALL($2::${keyType}[]))`);
    this.#free = prepared(`UPDATE ${name} SET owner = NULL WHERE ${key} IN (
       SELECT t.${key} FROM ${name} AS t JOIN unnest($1::${keyType}[], $2::text[]) AS abandoned(by_key, by_owner)
         ON t.${key} = abandoned.by_key AND t.owner = abandoned.by_owner
       ORDER BY ${lockOrder} FOR UPDATE OF t SKIP LOCKED)`);
  }

  /** Rows in progress. */
  get running(): number {
    return this.#running.size;
  }

  /** Rows that were inserted with their owner, and have not begun. */
  get expected(): number {
    return this.#expected.size;
  }

  start(): void {
    const { clock, onError } = this.#o;
    const loop = { clock, every: lookEveryMs, signal: this.#stop.signal, wakeup: this.#wakeup };
    this.#loop = repeat({ ...loop, onError: (error) => onError(error) }, () => this.#look());
  }

  /**
   * Before the commit of a transaction that inserts rows with this process as their owner: they are not taken for abandoned until `begin`. If
   * it is rolled back nothing is to be done. If nobody knows whether it was, its rows are claimed a minute later.
   */
  expect(ids: readonly Row['id'][]): void {
    const until = this.#o.clock.monotonic() + expectMs;
    for (const id of ids) this.#expected.set(id, until);
  }

  /** After that commit: its rows, as a claim would give them. */
  begin(rows: readonly Row[]): void {
    for (const row of rows) {
      this.#expected.delete(row.id);
      // After a lost session they may have been claimed meanwhile. After the stop they are freed with the session.
      if (!this.#held.has(row.id) && !this.#stop.signal.aborted) this.#take(row);
    }
  }

  /** Claims soon. */
  notify(): void {
    this.#wakeup.notify();
  }

  /** Claims soon, after another upkeep. */
  refresh(): void {
    this.#upkeepAt = 0;
    this.notify();
  }

  /** Holds the row until `work` ends. Resolves then; never rejects. A row that the work did not release is freed and claimed again. */
  run(row: Row, work: Promise<void>): Promise<void> {
    const ended = work
      .catch((error: unknown) => this.#o.onError(error, row))
      .finally(() => {
        this.drop(row);
        this.#running.delete(ended);
      });
    this.#running.add(ended);
    return ended;
  }

  /** Stops holding a row that is not run. */
  drop(row: Row): void {
    if (this.#held.get(row.id) === row) this.#held.delete(row.id);
  }

  /** Stops claiming. Resolves when the work in progress has ended. Rows without work are freed when the session ends. */
  async stop(): Promise<void> {
    this.#stop.abort('stopped');
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const { clock, owner, claim, upkeep } = this.#o;
    if (clock.monotonic() >= this.#upkeepAt) {
      this.#upkeepAt = clock.monotonic() + lookEveryMs;
      await this.#freeAbandoned(owner());
      await upkeep?.();
    }
    for (const row of await claim(owner())) this.#take(row);
  }

  async #freeAbandoned(own: string): Promise<void> {
    const { pool, clock } = this.#o;
    for (const [id, until] of this.#expected) if (until <= clock.monotonic()) this.#expected.delete(id);
    const { rows } = await pool.query<{ id: Row['id']; owner: string }>(this.#findAbandoned, [own, [...this.#held.keys()].map(String)]);
    // Rows may have been expected and committed since the statement was written down.
    const abandoned = rows.filter(({ id, owner }) => owner !== own || !(this.#held.has(id) || this.#expected.has(id)));
    if (abandoned.length === 0) return;
    await pool.query(this.#free, [abandoned.map(({ id }) => String(id)), abandoned.map(({ owner }) => owner)]);
  }

  /** After a lost session a held row is claimed again: its work continues under the new session. */
  #take(row: Row): void {
    const known = this.#held.get(row.id);
    if (known !== undefined && known.round === row.round) {
      known.owner = row.owner;
      return;
    }
    this.#held.set(row.id, row);
    this.#o.begin(row, known);
  }
}
