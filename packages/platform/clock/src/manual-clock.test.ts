import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from './index.ts';

test('stands still until it is moved', async () => {
  const clock = new ManualClock(1_000);
  let awake = false;
  void clock.sleep(10).then(() => (awake = true));
  expect(clock.sleeping).toBe(1);
  await clock.advance(9);
  expect([awake, clock.now(), clock.monotonic()]).toEqual([false, 1_009, 1_009]);
  await clock.advance(1);
  expect([awake, clock.now(), clock.sleeping]).toEqual([true, 1_010, 0]);
});

test('wakes in the order of what is due, those of one moment in the order they fell asleep', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }), async (delays) => {
      const clock = new ManualClock(0);
      const woken: { n: number; at: number }[] = [];
      for (const [n, ms] of delays.entries()) void clock.sleep(ms).then(() => woken.push({ n, at: clock.now() }));
      await clock.advance(5);
      const expected = delays.map((at, n) => ({ n, at })).sort((a, b) => a.at - b.at || a.n - b.n);
      expect(woken).toEqual(expected);
    }),
    { verbose: 1 },
  );
});

test('lets each that wakes run, and sleep again, before the next', async () => {
  const clock = new ManualClock(0);
  const seen: string[] = [];
  const tick = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await clock.sleep(10);
      seen.push(`tick ${clock.now()}`);
    }
  };
  void tick();
  void clock.sleep(25).then(() => seen.push(`once ${clock.now()}`));
  await clock.advance(100);
  expect(seen).toEqual(['tick 10', 'tick 20', 'once 25', 'tick 30']);
  expect(clock.now()).toBe(100);
});

test('never goes back', async () => {
  const clock = new ManualClock();
  for (const ms of [-1, Number.NaN]) await expect(clock.advance(ms)).rejects.toThrow(RangeError);
});

test('wakes at once when aborted, leaves no listener, and does not sleep when aborted before', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const asleep = clock.sleep(10, stop.signal);
  const other = clock.sleep(5, stop.signal);
  await clock.advance(5);
  await other;
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  stop.abort();
  await asleep;
  expect([clock.sleeping, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
  await clock.sleep(10, stop.signal);
  await clock.sleep(0);
  await clock.sleep(-1);
  expect(clock.sleeping).toBe(0);
});
