import { ManualClock } from '@weir/clock';
import { expect, it, vi } from 'vitest';
import { Waiting } from './waiting.ts';

const never = new AbortController().signal;
const asleep = (clock: ManualClock): Promise<void> => vi.waitFor(() => expect(clock.sleeping).toBe(1));
const nothing = async (): Promise<undefined> => undefined;

it('ends at its limit, and looks ever less often until then', async () => {
  const clock = new ManualClock();
  let looks = 0;
  const look = async (): Promise<undefined> => {
    looks += 1;
    return undefined;
  };
  const waited = new Waiting(clock, 1).until('run', look, { limitMs: 20_000, signal: never });
  await asleep(clock);
  await clock.advance(20_000);
  expect(await waited).toBeUndefined();
  expect(looks).toBeGreaterThan(30);
  expect(looks).toBeLessThan(60);
  expect(clock.sleeping).toBe(0);
});

it('is told of what ends in the same process, also while it looks', async () => {
  const clock = new ManualClock();
  const waiting = new Waiting(clock, 1);
  let ended = false;
  const look = async (): Promise<string | undefined> => {
    if (ended) return 'seen';
    // The run ends after this poll saw nothing and before the pause begins.
    ended = true;
    waiting.tell('run');
    return undefined;
  };
  expect(await waiting.until('run', look, { limitMs: 1_000, signal: never })).toBe('seen');
});

it('ends when the caller has gone', async () => {
  const gone = new AbortController();
  const waited = new Waiting(new ManualClock(), 1).until('run', nothing, { limitMs: 1_000, signal: gone.signal });
  gone.abort();
  expect(await waited).toBeUndefined();
});

it('takes no more callers than it may, and takes them again when others have left', async () => {
  const clock = new ManualClock();
  const waiting = new Waiting(clock, 1);
  const first = waiting.until('run', nothing, { limitMs: 1_000, signal: never });
  const refused = async (): Promise<string> => 'looked';
  expect(await waiting.until('run', refused, { limitMs: 1_000, signal: never })).toBeUndefined();
  await asleep(clock);
  await clock.advance(1_000);
  await first;
  expect(await waiting.until('run', refused, { limitMs: 1_000, signal: never })).toBe('looked');
});

it('passes on what went wrong with looking', async () => {
  const waiting = new Waiting(new ManualClock(), 1);
  const look = (): Promise<never> => Promise.reject(new Error('away'));
  await expect(waiting.until('run', look, { limitMs: 1_000, signal: never })).rejects.toThrow('away');
  expect(await waiting.until('run', async () => 1, { limitMs: 1_000, signal: never })).toBe(1);
});
