import type { Clock } from '@weir/clock';
import { LRUCache } from 'lru-cache';

const windowMs = 60_000;
/** The last addresses that are counted. About 200 bytes each. */
const mostAddresses = 10_000;

/** An authentication attempt. It counts as a failure from its start, so attempts in progress count too. */
export interface Try {
  /** 0: it may be checked. Otherwise its address, or all together, failed too often, and the limit ends in so many milliseconds. */
  readonly limitedForMs: number;
  readonly limitedBy?: 'address' | 'all';
  /** Call it if the token is good, or could not be checked. */
  refund(): void;
  /** Call it when the limit rejects the attempt. True for the first in a minute. */
  refuse(): boolean;
}

interface Window {
  readonly since: number;
  count: number;
  hasRefused: boolean;
}

/** Counts failures per client address and in total, in minutes that start with the first. In this process only. */
export class FailureLimits {
  readonly #clock: Clock;
  readonly #perAddress: number;
  readonly #overall: number;
  readonly #addresses = new LRUCache<string, Window>({ max: mostAddresses });
  #all: Window;

  constructor(clock: Clock, limits: { perAddress: number; overall: number }) {
    this.#clock = clock;
    this.#perAddress = limits.perAddress;
    this.#overall = limits.overall;
    this.#all = this.#begin();
  }

  get addresses(): number {
    return this.#addresses.size;
  }

  take(address: string): Try {
    const now = this.#clock.monotonic();
    if (now - this.#all.since >= windowMs) this.#all = this.#begin();
    const own = this.#ownOf(address, now);
    if (own.count >= this.#perAddress) return { ...limited(own, now, () => undefined), limitedBy: 'address' };
    const isFull = this.#all.count >= this.#overall;
    const counted = isFull ? [own] : [own, this.#all];
    for (const window of counted) window.count += 1;
    // The total limit was already logged.
    own.hasRefused ||= isFull;
    // The windows of this attempt, which may have ended.
    const refund = (): void => {
      for (const window of counted.splice(0)) window.count -= 1;
    };
    return isFull ? { ...limited(this.#all, now, refund), limitedBy: 'all' } : { limitedForMs: 0, refund, refuse: () => false };
  }

  #ownOf(address: string, now: number): Window {
    const before = this.#addresses.get(address);
    const own = before !== undefined && now - before.since < windowMs ? before : this.#begin();
    this.#addresses.set(address, own);
    return own;
  }

  #begin(): Window {
    return { since: this.#clock.monotonic(), count: 0, hasRefused: false };
  }
}

function limited(window: Window, now: number, refund: () => void): Try {
  return {
    limitedForMs: window.since + windowMs - now,
    refund,
    refuse: () => {
      const isFirst = !window.hasRefused;
      window.hasRefused = true;
      return isFirst;
    },
  };
}
