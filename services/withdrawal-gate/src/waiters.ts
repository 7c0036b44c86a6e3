/** Those who wait for a withdrawal to be decided: bounded in number, each woken when its own may have been. */
export class Waiters {
  readonly #max: number;
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Joins before the caller looks how things stand, so that nothing is missed in between; undefined when there are too many. `changed` is aborted when
   * it is time to look (again). `leave` must be called.
   */
  join(withdrawalId: string): { next(): AbortSignal; leave(): void } | undefined {
    if (this.#count >= this.#max) return undefined;
    this.#count += 1;
    let changed = new AbortController();
    const wake = (): void => changed.abort();
    const others = this.#waiting.get(withdrawalId) ?? new Set();
    this.#waiting.set(withdrawalId, others.add(wake));
    return {
      next: () => {
        if (changed.signal.aborted) changed = new AbortController();
        return changed.signal;
      },
      leave: () => {
        if (!others.delete(wake)) return;
        this.#count -= 1;
        if (others.size === 0 && this.#waiting.get(withdrawalId) === others) this.#waiting.delete(withdrawalId);
      },
    };
  }

  /** `payload` as in `standingChannel`: a list of ids, or nothing when any may have changed. */
  wake(payload: string): void {
    const ids = payload === '' ? [...this.#waiting.keys()] : (JSON.parse(payload) as string[]);
    for (const id of ids) for (const wake of this.#waiting.get(id) ?? []) wake();
  }
}
