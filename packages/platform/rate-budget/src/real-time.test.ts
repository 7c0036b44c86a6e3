import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lane, PacedSender, postgresBudget, type RateBudget, rateBudgetMigrations } from './index.ts';
import { measure } from './sends.testing.ts';

const limits = { perSecond: 20, perDay: 100_000 };
const durationMs = 5_000;
const seed = 20_240_417;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.pool, 'budget', rateBudgetMigrations);
});
afterAll(() => database.drop());

/** Seeded numbers from 0 to 1; a linear congruential generator is random enough for stalls. */
function chance(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Blocks the event loop repeatedly, as garbage collection or a starved container does. */
async function stall(signal: AbortSignal): Promise<number> {
  const random = chance(seed);
  let stalledMs = 0;
  while (!signal.aborted) {
    await systemClock.sleep(200 + 600 * random(), signal);
    const begin = systemClock.monotonic();
    const end = begin + 80 * random();
    while (systemClock.monotonic() < end);
    stalledMs += systemClock.monotonic() - begin;
  }
  return stalledMs;
}

interface Drive {
  readonly name: string;
  readonly awayMs: readonly number[];
  /** Loops per sender, so that remote ones take often enough. */
  readonly loops: number;
  readonly signal: AbortSignal;
}

async function driveAll({ name, awayMs, loops, signal }: Drive): Promise<number[]> {
  const sent: number[] = [];
  const drive = async (ms: number): Promise<void> => {
    const near = postgresBudget({ pool: database.openPool({ max: 1 }), name, limits });
    const take: RateBudget['take'] = async (...asked) => {
      const grant = await near.take(...asked);
      if (ms > 0) await systemClock.sleep(ms);
      return grant;
    };
    const sender = new PacedSender({ budget: { ...near, take }, clock: systemClock, limits });
    const waiting = { withdrawal: 1, deposit: 1, rescreen: 1 };
    const send = (_lane: Lane, arrived: () => void): void => {
      sent.push(systemClock.monotonic());
      arrived();
    };
    const loop = async (): Promise<void> => {
      while (!signal.aborted) await sender.sendNext(() => waiting, send, signal);
    };
    await Promise.all(Array.from({ length: loops }, loop));
  };
  await Promise.all(awayMs.map(drive));
  return sent;
}

test(`four senders on one budget of 20/s with stalls (seed ${seed}) never exceed it, and go on getting`, async () => {
  const stop = new AbortController();
  const stalled = stall(stop.signal);
  const driven = driveAll({ name: 'real', awayMs: [0, 0, 0, 0], loops: 1, signal: stop.signal });
  await systemClock.sleep(durationMs);
  stop.abort();
  const sent = await driven;
  const { share, shortestMs, text } = measure(sent.slice(3), limits.perSecond);
  const granted = limits.perDay - (await postgresBudget({ pool: database.pool, name: 'real', limits }).remaining()).day.withdrawal;
  process.stdout.write(`${text}; stalled ${(await stalled).toFixed(0)} ms\n`);
  expect(shortestMs).toBeGreaterThan(1_000);
  expect(granted).toBeGreaterThanOrEqual(sent.length);
  // The used share of the limit depends on the machine: `npm run bench -- --only pace`.
  expect(sent.length).toBeGreaterThan(limits.perSecond);
  expect(share).toBeLessThanOrEqual(1);
});

test('senders far away from the budget send too, and all together never exceed it', async () => {
  const stop = new AbortController();
  const driven = driveAll({ name: 'far', awayMs: [100, 160], loops: 6, signal: stop.signal });
  await systemClock.sleep(durationMs);
  stop.abort();
  const sent = await driven;
  const { shortestMs, text } = measure(sent, limits.perSecond);
  process.stdout.write(`100 and 160 ms away: ${text}\n`);
  expect(shortestMs).toBeGreaterThan(1_000);
  expect(sent.length).toBeGreaterThan(limits.perSecond);
});
