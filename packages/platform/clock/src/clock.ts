/** Injected, so that tests control time. */
export interface Clock {
  /** Unix time in milliseconds. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary point; never goes back. For measuring durations. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      // Longer delays overflow the timer and fire at once.
      const timer = setTimeout(finish, Math.min(Math.max(ms, 0), 2_147_483_647));
      signal?.addEventListener('abort', finish, { once: true });
    }),
};
