import type { Clock } from '@weir/clock';

/** Wakes whoever waits for something to have changed, without losing a change that comes just before the wait. */
export class Wakeup {
  readonly #clock: Clock;
  #waiters: (() => void)[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many changes there were. Read it before looking, give it to `wait` after. */
  get count(): number {
    return this.#count;
  }

  wake(): void {
    this.#count += 1;
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  /** Resolves at a change after `seen`, after `ms`, or when aborted. */
  async wait(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#count !== seen) return;
    const changed = new AbortController();
    // A reason of our own: without one each wake-up would build an exception, stack and all.
    const waiter = (): void => changed.abort('changed');
    this.#waiters.push(waiter);
    await this.#clock.sleep(ms, AbortSignal.any([signal, changed.signal]));
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
  }
}
