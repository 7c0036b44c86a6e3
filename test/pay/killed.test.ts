import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pay, send } from './raw.ts';
import type { PayServer } from './server.ts';
import { known, makeWorld, networks, type World } from './world.ts';

let world: World;
let server: PayServer;
beforeAll(async () => {
  world = await makeWorld();
  server = await world.server();
});
afterEach(() => world.facilitator.clear());
afterAll(() => world?.close());

const question = { coin: 'ETH', address: known };
const labels = { path: `/x402/address_labels?coin=ETH&address=${known}` };
const price = 100_000n;
/** Far above what a restart takes, also on a busy machine. */
const patienceMs = 150_000;
const points = [
  ['verify', 'after'],
  ['settle', 'before'],
  ['settle', 'after'],
] as const;

describe.each(networks)('on %s', (network) => {
  test.each(points)('kill -9 while the facilitator has the call to %s, %s it is done: one charge, and its answer comes', async (on, at) => {
    const payer = await world.payer(network, 2n * price);
    const client = payer.client(server.url, { patienceMs });
    const held = world.facilitator.hold(on, at);
    const asking = client.addressLabels(question);
    await held.reached;
    await server.kill();
    // The facilitator completes the calls that it has begun.
    held.release();
    await server.restart();
    const { answer, payment } = await asking;
    expect(answer, JSON.stringify(answer)).toMatchObject({ kind: 'labels' });
    expect(payment).toMatchObject({ state: 'settled' });
    expect(await payer.balance()).toBe(price);
    const rows = (await world.ledger()).filter(({ payment_identifier: id }) => id === payment?.claim.paymentId);
    expect(rows).toMatchObject([{ state: 'settled', amount: String(price), transaction: payment?.transaction }]);
  });

  test('kill -9 when the settlement is answered and not yet written down: another replica finds it out by itself and has the answer', async () => {
    const replica = await world.server();
    const payer = await world.payer(network, 2n * price);
    const payment = await pay(server.url, labels, payer);
    const held = world.facilitator.hold('settle', 'after');
    const lost = send(server.url, labels, payment).catch(() => 'lost' as const);
    await held.reached;
    const lock = await world.database.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query(`SELECT 1 FROM risk.payments WHERE state = 'settling' FOR UPDATE`);
      held.release();
      await expect.poll(() => waiting(), { timeout: 10_000 }).toBeGreaterThan(0);
      await server.kill();
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
    expect(await lost).toBe('lost');
    // Even without a retry by the caller, the ledger entry must close.
    const row = async () => (await world.ledger()).find(({ payer: own }) => own.toLowerCase() === payer.address.toLowerCase());
    await expect.poll(async () => (await row())?.state, { timeout: 20_000, interval: 200 }).toBe('settled');
    expect((await send(replica.url, labels, payment)).text).toContain('Someone');
    expect(await payer.balance()).toBe(price);
    await server.restart();
    await replica.remove();
  });

  test('a caller who has gone before his payment is settled gets its answer with the same payment', async () => {
    const payer = await world.payer(network, 2n * price);
    const client = payer.client(server.url, { timeoutMs: 700, patienceMs });
    const held = world.facilitator.hold('settle', 'before');
    const asking = client.addressLabels(question);
    await held.reached;
    // Longer than the caller's timeout, so that it disconnects and retries.
    await expect.poll(async () => (await world.ledger()).at(-1)?.state, { timeout: 5_000 }).toBe('settling');
    held.release();
    expect(await asking).toMatchObject({ answer: { kind: 'labels' }, payment: { state: 'settled' } });
    expect(await payer.balance()).toBe(price);
  });
});

/** Statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await world.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%risk.payments%'`,
  );
  return rows[0]?.count ?? 0;
}
