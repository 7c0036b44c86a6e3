import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresBudget, type RateBudget } from '../index.ts';
import { drive, measure } from '../sends.testing.ts';
import { openRig, type Rig } from './rig.testing.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const limits = { perSecond: 50, perDay: 1_000_000 };
const durationMs = 10_000;

test('four clients on one budget of 50/s never exceed it, and use it', async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => rig.client('pace', limits)));
  const driven = drive(clients, limits);
  await systemClock.sleep(durationMs);
  await driven.stop();
  const { share, shortestMs, text } = measure(driven.sent, limits.perSecond);
  process.stdout.write(`four clients: ${text}\n`);
  expect(driven.failures).toEqual([]);
  expect(shortestMs).toBeGreaterThan(1_000);
  // The pace itself is 93.5 %. What is below that is lost to a machine that is busy otherwise.
  expect(share).toBeGreaterThan(0.85);
  expect(share).toBeLessThanOrEqual(1);
}, 30_000);

test('a take on Redis is no slower than one on PostgreSQL', async () => {
  const fast = { perSecond: 1_000_000, perDay: 1_000_000 };
  const redis = await rig.client('latency', fast);
  const postgres = postgresBudget({ pool: rig.database.openPool({ max: 1 }), name: 'latency in rows', limits: fast });
  const [onRedis, onPostgres] = [await latencies(redis), await latencies(postgres)];
  process.stdout.write(`take on Redis: ${onRedis.text}; on PostgreSQL: ${onPostgres.text}\n`);
  expect(onRedis.p50).toBeLessThanOrEqual(onPostgres.p50);
});

/** Of takes one after another, all of them granted. */
async function latencies(budget: RateBudget): Promise<{ p50: number; text: string }> {
  const took: number[] = [];
  for (let i = 0; i < 500; i++) {
    const begin = systemClock.monotonic();
    const grant = await budget.take('withdrawal');
    if (grant.granted) took.push(systemClock.monotonic() - begin);
  }
  expect(took.length).toBeGreaterThan(450);
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)]!;
  return { p50: at(0.5), text: `p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms` };
}
