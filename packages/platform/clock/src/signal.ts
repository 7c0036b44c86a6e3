import type { Clock } from './clock.ts';

/** A condition variable for one waiter. It keeps a notification for the next wait, so none is lost between a check and a wait. */
export class Signal {
  readonly #clock: Clock;
  #notified = false;
  #waiting: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#notified = true;
    // Without a reason each abort would build an exception with its stack.
    this.#waiting?.abort('notified');
  }

  /**
   * Resolves with true on a notification, or at once if one came since the last wait. Resolves with false after `ms` milliseconds or when
   * `signal` aborts. Never rejects.
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

export interface Waiter {
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Must be called at the end. */
  leave(): void;
}

/** Condition variables by key, with a limit on waiters. */
export class KeyedSignal {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #waiting = new Map<string, Set<Signal>>();
  #count = 0;

  constructor(clock: Clock, most = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a waiter for a key; undefined when the limit is reached. Join before checking the condition, so no notification is missed. */
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

  notify(key: string): void {
    for (const signal of this.#waiting.get(key) ?? []) signal.notify();
  }

  notifyAll(): void {
    for (const key of this.#waiting.keys()) this.notify(key);
  }
}
