import { type Clock, KeyedSignal } from '@weir/clock';

/**
 * Callers that wait for runs. What ends in this process is told at once; what ends in another is found by looking again, which the pauses between
 * looks are for: 20 ms, then half as long as has been waited so far, at most half a second.
 */
export class Waiting {
  readonly #clock: Clock;
  readonly #callers: KeyedSignal;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#callers = new KeyedSignal(clock, most);
  }

  /** Ends the pauses of those who wait for that run. */
  tell(runId: string): void {
    this.#callers.notify(runId);
  }

  /**
   * Looks until there is something to see: what `look` gave, or undefined when `limitMs` has gone, when the caller has, or when too many wait already.
   */
  async until<T>(
    runId: string,
    look: () => Promise<T | undefined>,
    options: { limitMs: number; signal: AbortSignal },
  ): Promise<T | undefined> {
    const caller = this.#callers.join(runId);
    if (caller === undefined) return undefined;
    const start = this.#clock.monotonic();
    try {
      for (;;) {
        const seen = await look();
        const waited = this.#clock.monotonic() - start;
        if (seen !== undefined || waited >= options.limitMs || options.signal.aborted) return seen;
        await caller.wait(Math.min(Math.max(20, waited / 2), 500, options.limitMs - waited), options.signal);
      }
    } finally {
      caller.leave();
    }
  }
}
