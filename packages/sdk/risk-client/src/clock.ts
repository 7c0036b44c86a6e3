import type { Clock } from './types.ts';

/** The machine's time. Copied here, so that this package depends on no other of Weir's. */
export const systemClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- this is the clock
  now: () => Date.now(),
  // oxlint-disable-next-line no-restricted-properties -- this is the clock
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
      // oxlint-disable-next-line no-restricted-globals -- this is the clock
      const timer = setTimeout(finish, Math.min(Math.max(ms, 0), 2_147_483_647));
      signal?.addEventListener('abort', finish, { once: true });
    }),
};
