import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Subject } from '../subject.ts';

export interface WatchSettings {
  /** How long after the last request changes of a score are published. */
  readonly watchMs: number;
}

/** A repeated request within this time writes nothing, so that a cached score costs no write. */
const noteEveryMs = 86_400_000;

/** Which key asked for which score: a label change notifies these keys. */
export class Watches {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #settings: WatchSettings;

  constructor(options: { db: Queryable; clock: Clock; settings: WatchSettings }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#settings = options.settings;
  }

  moment(): { now: Date; notedSince: Date } {
    const now = this.#clock.now();
    return { now: new Date(now), notedSince: new Date(now - Math.min(noteEveryMs, this.#settings.watchMs / 2)) };
  }

  /** Call before reading the score. The score found is then newer than every change published so far, or its change will be published. */
  async note(keyHash: Buffer, { chain, kind, value, direction }: Subject): Promise<void> {
    const { now, notedSince } = this.moment();
    await this.#db.query('SELECT risk.watch($1, $2, $3, $4, $5, $6, $7)', [keyHash, chain, kind, value, direction, now, notedSince]);
  }
}
