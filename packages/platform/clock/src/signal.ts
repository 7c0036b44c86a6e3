import type { Clock } from './clock.ts';

/**
 * A condition variable for one waiter. A notification that comes while nobody waits is kept for the next wait, so none is lost between looking
 * and waiting.
 */
export class Signal {
  readonly #clock: Clock;
  #notified = false;
  #waiting: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#notified = true;
    // A reason of its own: without one each notification would build an exception, stack and all.
    this.#waiting?.abort('notified');
  }

  /**
   * Resolves with the next notification, or at once with one that came since the last wait; otherwise after `ms` milliseconds, or when `signal`
   * is aborted. Returns whether there was a notification; never rejects.
   */
  async wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#notified) {
      const waiting = new AbortController();
      this.#waiting = waiting;
      const end = (): void => waiting.abort('ended');
      if (signal?.aborted === true) end();
      signal?.addEventListener('abort', end, { once: true });
      await this.#clock.sleep(ms, waiting.signal);
      signal?.removeEventListener('abort', end);
      this.#waiting = undefined;
    }
    const wasNotified = this.#notified;
    this.#notified = false;
    return wasNotified;
  }
}

/** A place among the waiters of a key. */
export interface Waiter {
  /** As `Signal.wait`. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Must be called at the end. */
  leave(): void;
}

/** Condition variables by key, with a limit on how many may wait. */
export class KeyedSignal {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #waiting = new Map<string, Set<Signal>>();
  #count = 0;

  /** `most`: waiters of all keys together. */
  constructor(clock: Clock, most = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#most = most;
  }

  /** How many have joined and not left. */
  get count(): number {
    return this.#count;
  }

  /** Joins the waiters of a key; undefined when there are too many. Join before looking, so that no notification is missed in between. */
  join(key: string): Waiter | undefined {
    if (this.#count >= this.#most) return undefined;
    this.#count += 1;
    const signal = new Signal(this.#clock);
    const others = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, others.add(signal));
    return {
      wait: (ms, ended) => signal.wait(ms, ended),
      leave: () => {
        if (!others.delete(signal)) return;
        this.#count -= 1;
        if (others.size === 0) this.#waiting.delete(key);
      },
    };
  }

  /** Wakes the waiters of a key. */
  notify(key: string): void {
    for (const signal of this.#waiting.get(key) ?? []) signal.notify();
  }

  /** Wakes everybody. */
  notifyAll(): void {
    for (const key of this.#waiting.keys()) this.notify(key);
  }
}
