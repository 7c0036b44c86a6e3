import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Drill } from './drill.ts';
import { runEmbedded } from './embedded.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? randomInt(2 ** 31));
let drill: Drill;
// Many processes start in each; the limits only end what hangs.
beforeAll(async () => {
  process.stdout.write(`WEIR_TEST_SEED=${seed}\n`);
  drill = await runEmbedded({ points: 1, actions: 30, seed });
}, 900_000);
afterAll(() => drill?.close());

test('after a restore to a point nothing from before it is lost, and nothing is doubled or redeemed twice', async () => {
  const [point] = drill.points;
  const { violations, kept } = await drill.restore(point);
  expect(violations).toEqual([]);
  expect(kept).toBe((point?.told.deposits.size ?? 0) + (point?.told.withdrawals.size ?? 0));
}, 900_000);

test('after a restore to the latest nothing that was acknowledged is lost, doubled or redeemed twice', async () => {
  const { kept, forgotten, violations } = await drill.restore(undefined);
  expect(violations).toEqual([]);
  expect({ kept, forgotten }).toEqual({ kept: 90, forgotten: 0 });
}, 900_000);

test('after a kill of everything under load the latest point has all that was acknowledged', async () => {
  const { kept, forgotten, violations } = await drill.restoreAfterKill();
  expect(violations).toEqual([]);
  expect(kept).toBeGreaterThan(90);
  expect(forgotten).toBe(0);
}, 900_000);
