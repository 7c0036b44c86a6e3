/** Time, injected. Everything that waits or asks for the time does it through this port, so a test can move time itself. */
export interface Clock {
  /** Unix time in milliseconds. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary point; never goes back. For measuring durations. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own time. */
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
      // Longer delays than this overflow the timer and would fire at once.
      const timer = setTimeout(finish, Math.min(Math.max(ms, 0), 2_147_483_647));
      signal?.addEventListener('abort', finish, { once: true });
    }),
};
