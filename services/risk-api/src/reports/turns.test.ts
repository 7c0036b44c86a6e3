import { ManualClock } from '@weir/clock';
import { expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { Turns } from './turns.ts';

/** Work that runs until `end`. */
function open() {
  const started: { end: () => void; signal: AbortSignal }[] = [];
  const work = (signal: AbortSignal): Promise<string> => new Promise((resolve) => started.push({ end: () => resolve('done'), signal }));
  return { started, work };
}

/** A caller that stays. */
const here = new AbortController().signal;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('two at once, the next when one is done, and a full queue says so', async () => {
  const turns = new Turns({ clock: new ManualClock(), atOnce: 2, waiting: 1, limitMs: 1_000 });
  const { started, work } = open();
  const all = [turns.run(work, here), turns.run(work, here), turns.run(work, here)];
  await expect(turns.run(work, here)).rejects.toThrow(new Failure('ServiceUnavailable'));
  expect(started).toHaveLength(2);
  started[0]?.end();
  await all[0];
  await settled();
  expect(started).toHaveLength(3);
  for (const { end } of started) end();
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
});

it('what takes too long is ended, and so is who waited too long; the place is free again', async () => {
  const clock = new ManualClock();
  const turns = new Turns({ clock, atOnce: 1, waiting: 5, limitMs: 1_000 });
  const { started, work } = open();
  const late = [turns.run(work, here), turns.run(work, here)].map((each) => each.catch((error: unknown) => (error as Failure).code));
  await clock.advance(1_000);
  expect(await Promise.all(late)).toEqual(['ServiceUnavailable', 'ServiceUnavailable']);
  expect(started).toHaveLength(1);
  expect(started[0]?.signal.aborted).toBe(true);
  started[0]?.end();
  await settled();
  const next = turns.run(work, here);
  await settled();
  started[1]?.end();
  expect(await next).toBe('done');
});

it('failed work gives its place back', async () => {
  const turns = new Turns({ clock: new ManualClock(), atOnce: 1, waiting: 0, limitMs: 1_000 });
  await expect(turns.run(() => Promise.reject(new Error('wrong')), here)).rejects.toThrow('wrong');
  expect(await turns.run(async () => 7, here)).toBe(7);
});

it('who has gone keeps no place, neither in the queue nor at work', async () => {
  const turns = new Turns({ clock: new ManualClock(), atOnce: 1, waiting: 1, limitMs: 1_000 });
  const work = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')), { once: true }));
  const caller = new AbortController();
  const left = [turns.run(work, caller.signal), turns.run(work, caller.signal)].map((each) =>
    each.catch((error: unknown) => (error as Failure).code),
  );
  await settled();
  caller.abort();
  expect(await Promise.all(left)).toEqual(['ServiceUnavailable', 'ServiceUnavailable']);
  await settled();
  expect(await turns.run(async () => 7, here)).toBe(7);
  await expect(turns.run(async () => 7, caller.signal)).rejects.toThrow('ServiceUnavailable');
});
