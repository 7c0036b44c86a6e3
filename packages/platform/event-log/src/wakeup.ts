import type { Clock } from '@weir/clock';

/** Lets a loop sleep until it is needed or its time is up. A call that comes while the loop works is kept. */
export class Wakeup {
  readonly #clock: Clock;
  #called = false;
  #sleeping: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  call(): void {
    this.#called = true;
    this.#sleeping?.abort('called');
  }

  /** Resolves with the next call, with one that has come already, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#called) {
      this.#sleeping = new AbortController();
      await this.#clock.sleep(ms, this.#sleeping.signal);
      this.#sleeping = undefined;
    }
    this.#called = false;
  }
}
