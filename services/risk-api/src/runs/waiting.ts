import { type Clock, KeyedSignal } from '@weir/clock';

/**
 * Callers that wait for runs. A run in this process wakes them at once, one in another process is found by polling. Pauses: 20 ms, then
 * half of the time waited so far, at most half a second.
 */
export class Waiting {
  readonly #clock: Clock;
  readonly #callers: KeyedSignal;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#callers = new KeyedSignal(clock, most);
  }

  tell(runId: string): void {
    this.#callers.notify(runId);
  }

  /** Undefined after `limitMs`, when the caller disconnects, or when too many wait already. */
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
