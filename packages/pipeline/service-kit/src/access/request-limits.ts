import type { Clock } from '@weir/clock';
import { LRUCache } from 'lru-cache';

/** So many tokens are counted separately. */
const mostTokens = 10_000;

/** Requests per token in this process: a token bucket (GCRA) of one second's size. */
export class RequestLimits {
  readonly #clock: Clock;
  /** When each token's bucket is full again; monotonic milliseconds. */
  readonly #fullAt = new LRUCache<string, number>({ max: mostTokens });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0: the request may go on. Otherwise the milliseconds until a retry. */
  take(token: string, perSecond: number): number {
    const now = this.#clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(token) ?? now, now) + 1_000 / perSecond;
    const waitMs = Math.ceil(fullAt - now - 1_000);
    if (waitMs > 0) return waitMs;
    this.#fullAt.set(token, fullAt);
    return 0;
  }
}
