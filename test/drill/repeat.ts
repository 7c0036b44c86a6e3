import { setTimeout as delay } from 'node:timers/promises';

/** Does it again and again, with a pause after each time. Returns what ends it: resolves when the one under way is done. */
export function repeat(pauseMs: number, act: (count: number) => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController();
  const running = (async () => {
    for (let count = 0; !stop.signal.aborted; count += 1) {
      await act(count);
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return () => {
    stop.abort();
    return running;
  };
}
