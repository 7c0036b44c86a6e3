interface Lane<T> {
  readonly waiting: T[];
  /** The earliest `due` of waiting work. */
  due: number;
  busy: boolean;
}

/** Queues of work by key. Each key's work leaves in order, and only after `release` of the work before. Keys are served round-robin. */
export class Lanes<T> {
  readonly #lanes = new Map<string, Lane<T>>();
  /** Keys with waiting work and none in progress, in service order. */
  readonly #ready = new Set<string>();
  #waiting = 0;

  /** Waiting items, including those of busy keys. */
  get waiting(): number {
    return this.#waiting;
  }

  /** `due`: see `take`. */
  add(key: string, work: T, due = 0): void {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { waiting: [], due, busy: false };
      this.#lanes.set(key, lane);
    }
    lane.due = lane.waiting.length === 0 ? due : Math.min(lane.due, due);
    lane.waiting.push(work);
    this.#waiting++;
    if (!lane.busy) this.#ready.add(key);
  }

  /** Returns up to `max` items, grouped by key, of keys with work that is due at `until` or before. Their keys stay busy until `release`. */
  take(max: number, until = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    for (const key of this.#ready) {
      if (taken.length >= max) break;
      const lane = this.#lanes.get(key);
      if (lane === undefined || lane.due > until) continue;
      taken.push(...lane.waiting.splice(0, max - taken.length));
      lane.busy = true;
      this.#ready.delete(key);
    }
    this.#waiting -= taken.length;
    return taken;
  }

  release(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.busy = false;
    if (lane.waiting.length === 0) this.#lanes.delete(key);
    else this.#ready.add(key);
  }

  discard(matches: (work: T) => boolean): number {
    let discarded = 0;
    for (const [key, lane] of this.#lanes) {
      const kept = lane.waiting.filter((work) => !matches(work));
      discarded += lane.waiting.length - kept.length;
      lane.waiting.splice(0, lane.waiting.length, ...kept);
      if (kept.length > 0) continue;
      this.#ready.delete(key);
      if (!lane.busy) this.#lanes.delete(key);
    }
    this.#waiting -= discarded;
    return discarded;
  }
}
