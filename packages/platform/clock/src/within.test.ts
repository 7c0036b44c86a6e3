import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { ManualClock, TimeLimitError, within } from './index.ts';

const never = new Promise<never>(() => undefined);

test('gives the result or the failure of the work, and leaves no timer', async () => {
  const clock = new ManualClock();
  expect(await within(clock, 10, Promise.resolve('done'))).toBe('done');
  await expect(within(clock, 10, Promise.reject(new Error('own')))).rejects.toThrow('own');
  await expect(
    within(clock, 10, () => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(clock.sleeping).toBe(0);
});

test('rejects at the limit and not before, and ignores what comes later', async () => {
  const clock = new ManualClock();
  const work = Promise.withResolvers<string>();
  let ended: unknown;
  void within(clock, 10, work.promise).catch((error: unknown) => (ended = error));
  await clock.advance(9);
  expect(ended).toBeUndefined();
  await clock.advance(1);
  expect(ended).toBeInstanceOf(TimeLimitError);
  work.reject(new Error('nobody hears this'));
  await clock.advance(0);
});

test('gives or throws what `late` does, which is not called in time', async () => {
  const clock = new ManualClock();
  let calls = 0;
  const late = (): string => {
    calls += 1;
    return 'instead';
  };
  expect(await within(clock, 10, Promise.resolve('done'), { late })).toBe('done');
  await clock.advance(20);
  expect(calls).toBe(0);
  const instead = within(clock, 10, never, { late });
  await clock.advance(10);
  expect(await instead).toBe('instead');
  const failing = within(clock, 10, never, {
    late: () => {
      throw new RangeError('away');
    },
  });
  const failed = expect(failing).rejects.toThrow(RangeError);
  await clock.advance(10);
  await failed;
});

test('tells the work when the wait is over', async () => {
  const clock = new ManualClock();
  const seen: AbortSignal[] = [];
  const work = (over: AbortSignal): Promise<never> => {
    seen.push(over);
    return never;
  };
  const late = within(clock, 10, work, { late: () => 'late' });
  expect(seen.map(({ aborted }) => aborted)).toEqual([false]);
  await clock.advance(10);
  await late;
  expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
});

test('ends early when aborted, and leaves no listener', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const stopped = within(clock, 10, never, { late: () => 'late', signal: stop.signal });
  stop.abort();
  expect(await stopped).toBe('late');
  expect([clock.sleeping, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
});
