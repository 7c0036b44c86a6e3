import type { Clock } from './clock.ts';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock for tests, which moves only by `advance`. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        due: this.#now + ms,
        wake: () => {
          signal?.removeEventListener('abort', sleeper.wake);
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Tests wait until the code under test sleeps. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Wakes sleepers in the order they are due; each runs before the next wakes. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('time goes forward only');
    const end = this.#now + ms;
    for (;;) {
      const next = this.#sleepers.filter((s) => s.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Runs everything that is ready, promise chains included. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
