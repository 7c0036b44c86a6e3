import type { Clock } from '@weir/clock';
import { BoundedMap } from './bounded-map.ts';

/** Requests of so many tokens, at least, are counted apart. */
const mostTokens = 10_000;

/** Requests of each token in this process, as a token bucket (GCRA) that holds one second's worth. */
export class RequestLimits {
  readonly #clock: Clock;
  /** When the bucket of each token is full again; monotonic milliseconds. */
  readonly #fullAt = new BoundedMap<number>(2 * mostTokens);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0: the request may go on. Else the token may ask again after so many milliseconds. */
  take(token: string, perSecond: number): number {
    const now = this.#clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(token) ?? now, now) + 1_000 / perSecond;
    const waitMs = Math.ceil(fullAt - now - 1_000);
    if (waitMs > 0) return waitMs;
    this.#fullAt.set(token, fullAt);
    return 0;
  }
}
