import { type PaidOperation, type PayingClient, type Paid } from '@weir/risk-client/pay';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PayServer } from './server.ts';
import { known, makeWorld, networks, plain, type Payer, type World } from './world.ts';

let world: World;
let server: PayServer;

beforeAll(async () => {
  world = await makeWorld();
  server = await world.server();
});
afterAll(() => world?.close());

const eth = { coin: 'ETH', address: plain };
/** Every paid operation: price in micro-USDC, call, and expected answer for a known address. */
const operations: Record<PaidOperation, { price: bigint; call: (client: PayingClient) => Promise<Paid<unknown>>; says: object }> = {
  address_labels: {
    price: 100_000n,
    call: (client) => client.addressLabels({ ...eth, address: known }),
    says: { kind: 'labels', label_list: expect.arrayContaining(['Someone']) },
  },
  address_overview: {
    price: 500_000n,
    call: (client) => client.addressOverview(eth),
    says: { kind: 'overview', overview: { total_received: 1.5, total_spent: 1.5, balance: 0, txs_count: 2 } },
  },
  risk_score: { price: 1_000_000n, call: (client) => client.riskScore(eth), says: { kind: 'scored' } },
  risk_score_create_task: { price: 1_000_000n, call: (client) => client.createTask(eth), says: { kind: 'started' } },
  transactions_investigation: {
    price: 1_000_000n,
    call: (client) => client.transactionsInvestigation(eth),
    says: { kind: 'transfers', transactions_on_page: 2, in: [expect.objectContaining({ address: known })] },
  },
  address_action: { price: 500_000n, call: (client) => client.addressAction(eth), says: { kind: 'actions' } },
  address_trace: {
    price: 500_000n,
    call: (client) => client.addressTrace(eth),
    says: { kind: 'trace', trace: { first_address: 'Someone' } },
  },
  address_counterparty: {
    price: 500_000n,
    call: (client) => client.addressCounterparty(eth),
    says: { kind: 'counterparties', address_counterparty_list: expect.arrayContaining([expect.objectContaining({ name: 'Someone' })]) },
  },
};

describe.each(networks)('on %s', (network) => {
  let payer: Payer;
  let client: PayingClient;
  beforeAll(async () => {
    payer = await world.payer(network, 10_000_000n);
    client = payer.client(server.url);
  });

  test.each(Object.entries(operations))(
    '%s moves its price from payer to receiver, to the unit, and answers',
    async (name, { price, call, says }) => {
      const before = { payer: await payer.balance(), receiver: await world.received(network), settled: client.spending().settled };
      const { answer, payment } = await call(client);
      expect(answer).toMatchObject(says);
      expect(payment).toMatchObject({ state: 'settled', claim: { network, operation: name, amount: String(price) } });
      expect(await payer.balance()).toBe(before.payer - price);
      expect(await world.received(network)).toBe(before.receiver + price);
      expect(client.spending()).toMatchObject({ settled: before.settled + price, open: 0n });
      const row = (await world.ledger()).find(({ payment_identifier: id }) => id === payment?.claim.paymentId);
      expect(row).toMatchObject({ state: 'settled', network, amount: String(price), transaction: payment?.transaction });
    },
  );

  test('a task that was paid is polled free of charge', async () => {
    const { answer } = await client.createTask(eth);
    if (answer.kind !== 'started') throw new Error(`no task: ${answer.kind}`);
    const balance = await payer.balance();
    const result = await vi.waitFor(
      async () => {
        const polled = await client.queryTask(answer.location ?? '');
        expect(polled.kind).not.toBe('running');
        return polled;
      },
      { timeout: 15_000, interval: 50 },
    );
    expect(result).toMatchObject({ kind: 'scored' });
    expect(await payer.balance()).toBe(balance);
    expect((await client.queryTask('/x402/tasks/nobody-has-this-one')).kind).toBe('not_found');
  });
});
