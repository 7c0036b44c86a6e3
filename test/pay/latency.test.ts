import { afterAll, beforeAll, expect, test } from 'vitest';
import { lineOf, measurePaidCalls } from './latency.ts';
import type { PayServer } from './server.ts';
import { makeWorld, networks, type World } from './world.ts';

let world: World;
let server: PayServer;
beforeAll(async () => {
  world = await makeWorld();
  server = await world.server();
});
afterAll(() => world?.close());

test.each(networks)("a payment on %s adds little beside the facilitator's own time", async (network) => {
  const payer = await world.payer(network, 100_000_000n);
  await measurePaidCalls(world, server.url, payer, 5);
  const latency = await measurePaidCalls(world, server.url, payer, 30);
  process.stdout.write(`${lineOf(latency)}\n`);
  // The ledger's few statements, each with its commit; a bound that a second facilitator call would break.
  expect(latency.ownMs).toBeLessThan(150);
});
