import { setTimeout as delay } from 'node:timers/promises';

/** Injected, so that tests control time. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary point; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's time. This package depends on no other of Weir's. */
export const systemClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- this is the clock
  now: () => Date.now(),
  // oxlint-disable-next-line no-restricted-properties -- this is the clock
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    delay(ms, undefined, signal === undefined ? {} : { signal }).then(
      () => undefined,
      () => undefined,
    ),
};
