import type { Clock } from '@weir/clock';
import { LRUCache } from 'lru-cache';

/** Signature checks per second and limit; each takes up to half a millisecond. */
const perSecond = 50;
/** Recently good tokens. A person gets a new one every few minutes. */
const mostTokens = 2_000;

/** Signature checks for limited callers: recently good tokens, and a few others. */
export class SpareChecks {
  readonly #clock: Clock;
  readonly #good = new LRUCache<string, true>({ max: mostTokens });
  /** Separate per limit, so a flood from few addresses uses up nobody else's checks. */
  readonly #seconds = { address: { since: Number.NEGATIVE_INFINITY, count: 0 }, all: { since: Number.NEGATIVE_INFINITY, count: 0 } };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(hash: Buffer, limitedBy: 'address' | 'all'): boolean {
    if (this.#good.get(hash.toString('base64')) === true) return true;
    const now = this.#clock.monotonic();
    const second = this.#seconds[limitedBy];
    if (now - second.since >= 1_000) Object.assign(second, { since: now, count: 0 });
    second.count += 1;
    return second.count <= perSecond;
  }

  remember(hash: Buffer): void {
    this.#good.set(hash.toString('base64'), true);
  }
}
