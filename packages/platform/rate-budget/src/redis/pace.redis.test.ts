import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drive, measure } from '../sends.testing.ts';
import { openRig, type Rig } from './rig.testing.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const limits = { perSecond: 50, perDay: 1_000_000 };
const durationMs = 10_000;

test('four clients on one budget of 50/s never exceed it, and go on getting', async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => rig.client('pace', limits)));
  const driven = drive(clients, limits);
  await systemClock.sleep(durationMs);
  await driven.stop();
  const { share, shortestMs, text } = measure(driven.sent, limits.perSecond);
  process.stdout.write(`four clients: ${text}\n`);
  expect(driven.failures).toEqual([]);
  expect(shortestMs).toBeGreaterThan(1_000);
  // The used share of the limit depends on the machine: `npm run bench -- --only pace`.
  expect(driven.sent.length).toBeGreaterThan(limits.perSecond);
  expect(share).toBeLessThanOrEqual(1);
});
