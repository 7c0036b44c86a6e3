import { expect, test } from 'vitest';
import { KeyedSignal, ManualClock, Signal } from './index.ts';

test('keeps a notification for the next wait, and only for that', async () => {
  const clock = new ManualClock();
  const signal = new Signal(clock);
  signal.notify();
  signal.notify();
  expect(await signal.wait(10)).toBe(true);
  const second = signal.wait(10);
  expect(clock.sleeping).toBe(1);
  await clock.advance(10);
  expect(await second).toBe(false);
});

test('ends a wait with a notification, at the limit, or when aborted', async () => {
  const clock = new ManualClock();
  const signal = new Signal(clock);
  const notified = signal.wait(10);
  signal.notify();
  expect(await notified).toBe(true);
  const late = signal.wait(10);
  await clock.advance(10);
  expect(await late).toBe(false);
  const stop = new AbortController();
  const stopped = signal.wait(10, stop.signal);
  stop.abort();
  expect(await stopped).toBe(false);
  expect(await signal.wait(10, stop.signal)).toBe(false);
  expect(clock.sleeping).toBe(0);
});

test('wakes all waiters of a key, and nobody else', async () => {
  const clock = new ManualClock();
  const signal = new KeyedSignal(clock);
  const woken: string[] = [];
  for (const [name, key] of [
    ['one', 'a'],
    ['two', 'a'],
    ['three', 'b'],
  ] as const)
    void signal
      .join(key)
      ?.wait(10)
      .then((wasNotified) => wasNotified && woken.push(name));
  signal.notify('a');
  signal.notify('unknown');
  await clock.advance(0);
  expect(woken).toEqual(['one', 'two']);
  signal.notifyAll();
  await clock.advance(0);
  expect(woken).toEqual(['one', 'two', 'three']);
});

test('hears what comes between joining and waiting', async () => {
  const signal = new KeyedSignal(new ManualClock());
  const waiter = signal.join('a');
  signal.notify('a');
  expect(await waiter?.wait(10)).toBe(true);
});

test('lets no more wait than it may, and counts nobody twice', () => {
  const signal = new KeyedSignal(new ManualClock(), 2);
  const first = signal.join('a');
  signal.join('b');
  expect(signal.join('a')).toBeUndefined();
  first?.leave();
  first?.leave();
  expect(signal.count).toBe(1);
  expect(signal.join('a')).toBeDefined();
});

test('one who leaves late takes nobody else out of the key', async () => {
  const signal = new KeyedSignal(new ManualClock());
  const early = signal.join('a');
  early?.leave();
  const later = signal.join('a');
  early?.leave();
  signal.notify('a');
  expect(await later?.wait(10)).toBe(true);
});
