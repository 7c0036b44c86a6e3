import type { Clock } from '@weir/clock';
import { BoundedMap } from './bounded-map.ts';

/** Signatures that are checked in a second for all who are limited by the same; each takes up to half a millisecond. */
const perSecond = 50;
/** Tokens that were good lately. A person has a new one every few minutes. */
const mostTokens = 2_000;

/** Checks of signed tokens for who is limited: of those that were good lately, and of a few others. */
export class SpareChecks {
  readonly #clock: Clock;
  readonly #good = new BoundedMap<true>(mostTokens);
  /** For whose own address is limited, and for whom only all together are: who floods from few addresses uses up nobody else's. */
  readonly #seconds = { address: { since: Number.NEGATIVE_INFINITY, count: 0 }, all: { since: Number.NEGATIVE_INFINITY, count: 0 } };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this one may be checked now. */
  take(hash: Buffer, limitedBy: 'address' | 'all'): boolean {
    if (this.#good.get(hash.toString('base64')) === true) return true;
    const now = this.#clock.monotonic();
    const second = this.#seconds[limitedBy];
    if (now - second.since >= 1_000) Object.assign(second, { since: now, count: 0 });
    second.count += 1;
    return second.count <= perSecond;
  }

  /** That it was good. */
  remember(hash: Buffer): void {
    this.#good.set(hash.toString('base64'), true);
  }
}
