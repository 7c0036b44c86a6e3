import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../support/stack/random.ts';
import { closeBooks } from './books.ts';
import { callOnce, type Mix, spoil } from './mix.ts';
import type { PayServer } from './server.ts';
import { makeWorld, networks, type Payer, type World } from './world.ts';

const seed = Number(process.env['WEIR_PAY_SEED'] ?? 40_201);
const calls = Number(process.env['WEIR_PAY_CALLS'] ?? 500);
const atOnce = 8;
/** 1,000 USDC: more than all calls can cost. */
const funds = 1_000_000_000n;

let world: World;
let servers: PayServer[];
beforeAll(async () => {
  world = await makeWorld();
  servers = await Promise.all([world.server(), world.server()]);
});
afterAll(() => world?.close());

test(`after ${calls} mixed calls every charge has its one answer, and no answer was free`, async () => {
  process.stdout.write(
    `seed ${seed}: WEIR_PAY_SEED=${seed} WEIR_PAY_CALLS=${calls} npx vitest run --project real test/pay/mixed.test.ts\n`,
  );
  const payers = await Promise.all([...networks, ...networks, ...networks].map((network) => world.payer(network, funds)));
  const poor = await Promise.all(networks.map((network) => world.payer(network, 50_000n)));
  const random = seededRandom(seed);
  const mix: Mix = { world, servers, payers, poor, random, delivered: [], used: [], counts: new Map() };
  let begun = 0;
  let kills = 0;
  const caller = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      const isKill = begun % 150 === 0;
      if (random() < 0.15) spoil(mix);
      if (isKill) {
        kills += 1;
        const server = servers[kills % servers.length] as PayServer;
        await server.kill();
        await server.restart();
      }
      await callOnce(mix);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  world.facilitator.clear();

  const initial = new Map<Payer, bigint>([
    ...payers.map((payer) => [payer, funds] as const),
    ...poor.map((payer) => [payer, 50_000n] as const),
  ]);
  const close = () => closeBooks(world, initial, mix.delivered, (row) => row.payment_identifier ?? row.id);
  // Payments that a fault interrupted may still be settling.
  await expect.poll(async () => (await close()).wrong, { timeout: 30_000, interval: 500 }).toEqual([]);
  const { charges, micro } = await close();
  process.stdout.write(
    `${kills} kills; ${JSON.stringify(Object.fromEntries(mix.counts))}; ${charges} charges, ${micro} micro-USDC, ${mix.delivered.length} answers\n`,
  );
  expect(charges).toBeGreaterThan(calls / 3);
}, 600_000);
