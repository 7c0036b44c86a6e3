interface Lane<T> {
  readonly waiting: T[];
  busy: boolean;
}

/**
 * Waiting work by key. Work of one key is given out in order, and no more of it while some is under way.
 * Keys take turns: a key that was served goes to the end of the queue.
 */
export class Lanes<T> {
  readonly #lanes = new Map<string, Lane<T>>();
  /** Keys with waiting work and none under way, in the order they are served. */
  readonly #ready = new Set<string>();
  #waiting = 0;

  /** Pieces of work that were not given out, those of busy keys too. */
  get waiting(): number {
    return this.#waiting;
  }

  add(key: string, work: T): void {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { waiting: [], busy: false };
      this.#lanes.set(key, lane);
    }
    lane.waiting.push(work);
    this.#waiting++;
    if (!lane.busy) this.#ready.add(key);
  }

  /** Up to `max` pieces of work, those of one key next to each other. Their keys are busy until `release`. */
  take(max: number): T[] {
    const taken: T[] = [];
    for (const key of this.#ready) {
      if (taken.length >= max) break;
      const lane = this.#lanes.get(key);
      if (lane === undefined) continue;
      taken.push(...lane.waiting.splice(0, max - taken.length));
      lane.busy = true;
      this.#ready.delete(key);
    }
    this.#waiting -= taken.length;
    return taken;
  }

  /** The work of this key that was taken is over. */
  release(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.busy = false;
    if (lane.waiting.length === 0) this.#lanes.delete(key);
    else this.#ready.add(key);
  }

  /** Forgets waiting work that matches. Returns how much it was. */
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
