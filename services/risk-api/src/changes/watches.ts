import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Subject } from '../tasks/subject.ts';

export interface WatchSettings {
  /** How long changes of a score are told after it was last asked for. */
  readonly watchMs: number;
}

/** Who asks again within this is not noted again, so that a cached score costs no write. */
const noteEveryMs = 86_400_000;

/** Who asked for which scores: they are told when a label may have changed them. */
export class Watches {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #settings: WatchSettings;

  constructor(options: { db: Queryable; clock: Clock; settings: WatchSettings }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#settings = options.settings;
  }

  /** The present time, and since when whoever was noted need not be noted again. */
  moment(): { now: Date; notedSince: Date } {
    const now = this.#clock.now();
    return { now: new Date(now), notedSince: new Date(now - Math.min(noteEveryMs, this.#settings.watchMs / 2)) };
  }

  /** To be called before the score is looked for: what is found then is either newer than every change told so far, or its change will be told. */
  async note(keyHash: Buffer, { chain, kind, value, direction }: Subject): Promise<void> {
    const { now, notedSince } = this.moment();
    await this.#db.query('SELECT risk.watch($1, $2, $3, $4, $5, $6, $7)', [keyHash, chain, kind, value, direction, now, notedSince]);
  }
}
