import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock } from './index.ts';

describe('the machine’s clock', () => {
  test('sleeps as long as it was told', async () => {
    const from = systemClock.monotonic();
    await systemClock.sleep(30);
    // A timer may fire a fraction of a millisecond early.
    expect(systemClock.monotonic() - from).toBeGreaterThanOrEqual(29);
  });

  test.each([1_000_000, 2 ** 31, 1e12, Number.POSITIVE_INFINITY])(
    'ends a sleep of %d ms at once when it is aborted, leaving no listener',
    async (ms) => {
      const stop = new AbortController();
      const sleeping = systemClock.sleep(ms, stop.signal);
      let awake = false;
      void sleeping.then(() => (awake = true));
      expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
      await systemClock.sleep(5);
      expect(awake).toBe(false);
      stop.abort();
      await sleeping;
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    },
  );

  test('leaves no listener and no timer behind when the sleep ends by itself', async () => {
    const stop = new AbortController();
    for (let n = 0; n < 20; n += 1) await systemClock.sleep(0, stop.signal);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const sleeps = [1, 2, 3].map(() => systemClock.sleep(1_000_000, stop.signal));
    expect(timers()).toBe(before + 3);
    stop.abort();
    await Promise.all(sleeps);
    expect(timers()).toBe(before);
  });

  test('does not sleep at all when it was aborted before', async () => {
    await systemClock.sleep(1_000_000, AbortSignal.abort());
  });

  test('takes less than nothing for nothing', async () => {
    await systemClock.sleep(-5);
  });

  test('never goes back', () => {
    const times = Array.from({ length: 1_000 }, () => systemClock.monotonic());
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(Math.abs(systemClock.now() - new Date().getTime())).toBeLessThan(1_000);
  });
});
