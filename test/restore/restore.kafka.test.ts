import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Drill } from './drill.ts';
import { runKafka } from './kafka.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? randomInt(2 ** 31));
let drill: Drill;
// Many processes start in each; the limits only end what hangs.
beforeAll(async () => {
  process.stdout.write(`WEIR_TEST_SEED=${seed}\n`);
  drill = await runKafka({ points: 1, actions: 20, seed });
}, 900_000);
afterAll(() => drill?.close());

test('on Kafka a database that was restored to a point behind its brokers loses, doubles and redeems twice nothing', async () => {
  const [point] = drill.points;
  const { violations, kept } = await drill.restore(point);
  expect(violations).toEqual([]);
  expect(kept).toBe((point?.told.deposits.size ?? 0) + (point?.told.withdrawals.size ?? 0));
}, 900_000);

test('on Kafka a kill of services, database and broker under load, and a restore to the latest, keep all that was acknowledged', async () => {
  const { kept, forgotten, violations } = await drill.restoreAfterKill();
  expect(violations).toEqual([]);
  expect(kept).toBeGreaterThan(60);
  expect(forgotten).toBe(0);
}, 900_000);
