import type { Clock } from '@weir/clock';
import { BoundedMap } from './bounded-map.ts';

const windowMs = 60_000;
/** Addresses that are kept count of; who knocked among the last 5,000 is one of them. About 200 bytes each. */
const mostAddresses = 10_000;

/** One that tries to authenticate, counted as a failure from the start: what is under way counts too. */
export interface Try {
  /** 0: it may be looked at. Else its address, or all together, have failed too often, and that ends in so many milliseconds. */
  readonly limitedForMs: number;
  /** Who has failed too often: its address, or only all together. */
  readonly limitedBy?: 'address' | 'all';
  /** When it turns out to be good, or nobody could say. */
  refund(): void;
  /** When it is refused because of the limit. True for the first in a minute. */
  refuse(): boolean;
}

interface Window {
  readonly since: number;
  count: number;
  hasRefused: boolean;
}

/** Counts failures by client address and all together, in minutes that begin with the first. Of this process alone. */
export class FailureLimits {
  readonly #clock: Clock;
  readonly #perAddress: number;
  readonly #overall: number;
  readonly #addresses = new BoundedMap<Window>(mostAddresses);
  #all: Window;

  constructor(clock: Clock, limits: { perAddress: number; overall: number }) {
    this.#clock = clock;
    this.#perAddress = limits.perAddress;
    this.#overall = limits.overall;
    this.#all = this.#begin();
  }

  /** How many addresses are kept count of, some of them twice. */
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
    // Said of all together already.
    own.hasRefused ||= isFull;
    // The windows it was counted in, which may be over by now.
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
