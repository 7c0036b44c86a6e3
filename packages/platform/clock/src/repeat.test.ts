import { expect, test } from 'vitest';
import { ManualClock, repeat, Signal } from './index.ts';

async function started(
  options: { firstAfter?: number; withWakeup?: boolean; work?: (nth: number) => Promise<number | void> | number | void } = {},
) {
  const clock = new ManualClock(0);
  const stop = new AbortController();
  const runs: number[] = [];
  const errors: unknown[] = [];
  const wakeup = new Signal(clock);
  const ended = repeat(
    {
      clock,
      every: 10,
      signal: stop.signal,
      onError: (error) => errors.push(error),
      ...(options.firstAfter === undefined ? {} : { firstAfter: options.firstAfter }),
      ...(options.withWakeup === true ? { wakeup } : {}),
    },
    () => {
      runs.push(clock.now());
      return options.work?.(runs.length);
    },
  );
  await clock.advance(0);
  return { clock, stop, runs, errors, wakeup, ended };
}

test('runs at once and then with a pause after each end', async () => {
  const { clock, runs } = await started({ work: () => undefined });
  await clock.advance(25);
  expect(runs).toEqual([0, 10, 20]);
});

test('begins later where that is asked for, and not at all when stopped before', async () => {
  const late = await started({ firstAfter: 7 });
  await late.clock.advance(20);
  expect(late.runs).toEqual([7, 17]);
  const stopped = await started({ firstAfter: 7 });
  stopped.stop.abort();
  await stopped.ended;
  expect(stopped.runs).toEqual([]);
});

test('never runs twice at once', async () => {
  const clock = new ManualClock(0);
  const stop = new AbortController();
  let [running, most] = [0, 0];
  void repeat({ clock, every: 1, signal: stop.signal, onError: () => undefined }, async () => {
    most = Math.max(most, ++running);
    await clock.sleep(30);
    running -= 1;
  });
  await clock.advance(100);
  expect(most).toBe(1);
});

test('pauses as long as the run says, and not at all for 0', async () => {
  const { clock, runs } = await started({ work: (nth) => (nth < 3 ? 0 : 4) });
  await clock.advance(5);
  expect(runs).toEqual([0, 0, 0, 4]);
});

test('tells errors and goes on after the whole pause, also when woken', async () => {
  const { clock, runs, errors, wakeup } = await started({
    withWakeup: true,
    work: (nth) => {
      if (nth === 1) throw new Error('once');
    },
  });
  await clock.advance(1);
  wakeup.notify();
  await clock.advance(8);
  expect([runs, errors]).toEqual([[0], [new Error('once')]]);
  await clock.advance(1);
  expect(runs).toEqual([0, 10, 10]);
});

test('a notification ends the pause, also one that came during the run', async () => {
  const { clock, runs, wakeup } = await started({
    withWakeup: true,
    work: (nth) => {
      if (nth === 2) wakeup.notify();
    },
  });
  await clock.advance(3);
  wakeup.notify();
  await clock.advance(0);
  expect(runs).toEqual([0, 3, 3]);
});

test('ends when stopped: at once in a pause, after the run otherwise', async () => {
  const pausing = await started();
  await pausing.clock.advance(1);
  pausing.stop.abort();
  await pausing.ended;
  const work = Promise.withResolvers<void>();
  const running = await started({ work: () => work.promise });
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  running.stop.abort();
  await running.clock.advance(100);
  expect(hasEnded).toBe(false);
  work.resolve();
  await running.ended;
  expect(running.runs).toEqual([0]);
});
