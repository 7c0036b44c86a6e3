import type { Clock } from '@weir/clock';

/**
 * Callers that wait for runs. What ends in this process is told at once; what ends in another is found by looking again, which the pauses between
 * looks are for: 20 ms, then half as long as has been waited so far, at most half a second.
 */
export class Waiting {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #callers = new Map<string, Set<() => void>>();
  #count = 0;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Ends the pauses of those who wait for that run. */
  tell(runId: string): void {
    for (const wake of this.#callers.get(runId) ?? []) wake();
  }

  /**
   * Looks until there is something to see: what `look` gave, or undefined when `limitMs` has gone, when the caller has, or when too many wait already.
   */
  async until<T>(
    runId: string,
    look: () => Promise<T | undefined>,
    options: { limitMs: number; signal: AbortSignal },
  ): Promise<T | undefined> {
    if (this.#count >= this.#most) return undefined;
    const start = this.#clock.monotonic();
    this.#count += 1;
    try {
      for (;;) {
        const pause = this.#pause(runId, options.signal);
        try {
          const seen = await look();
          const waited = this.#clock.monotonic() - start;
          if (seen !== undefined || waited >= options.limitMs || options.signal.aborted) return seen;
          await this.#clock.sleep(Math.min(Math.max(20, waited / 2), 500, options.limitMs - waited), pause.ended);
        } finally {
          pause.leave();
        }
      }
    } finally {
      this.#count -= 1;
    }
  }

  /** Listens before it looks, so that what ends in between is not missed. */
  #pause(runId: string, signal: AbortSignal): { ended: AbortSignal; leave: () => void } {
    const told = new AbortController();
    const wake = (): void => told.abort();
    const callers = this.#callers.get(runId) ?? new Set();
    this.#callers.set(runId, callers.add(wake));
    return {
      ended: AbortSignal.any([told.signal, signal]),
      leave: () => {
        callers.delete(wake);
        if (callers.size === 0) this.#callers.delete(runId);
      },
    };
  }
}
