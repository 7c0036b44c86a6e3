import type { PaymentPayload } from '@x402/core/types';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, newEvmWallet, newSolanaWallet } from '../support/local-chains/index.ts';
import { type Asked, offerOf, pay, send } from './raw.ts';
import type { PayServer } from './server.ts';
import { evmNetwork, hasty, known, makeWorld, networks, type Payer, plain, solanaNetwork, type World } from './world.ts';

let world: World;
let server: PayServer;
beforeAll(async () => {
  world = await makeWorld();
  server = await world.server();
});
afterEach(() => world.facilitator.clear());
afterAll(() => world?.close());

const labels: Asked = { path: `/x402/address_labels?coin=ETH&address=${known}` };
const overview: Asked = { path: `/x402/address_overview?coin=ETH&address=${known}` };
const trace: Asked = { path: `/x402/address_trace?coin=ETH&address=${known}` };
const price = 100_000n;

type FaultCase = readonly [said: string, on: 'verify' | 'settle', fault: Fault];
const verifyFaults: readonly FaultCase[] = [
  ['too slow to verify', 'verify', { kind: 'slow', ms: 2_000 }],
  ['cut off while it verifies', 'verify', { kind: 'drop', at: 'before' }],
  ['cut off after it has verified', 'verify', { kind: 'drop', at: 'after' }],
  ['out of order when it should verify', 'verify', { kind: 'status', status: 500 }],
  ['talking nonsense of a verification', 'verify', { kind: 'garbage' }],
];
const settleFaults: readonly FaultCase[] = [
  ['cut off before it settles', 'settle', { kind: 'drop', at: 'before' }],
  ['cut off after it has settled', 'settle', { kind: 'drop', at: 'after' }],
  ['out of order when it should settle', 'settle', { kind: 'status', status: 500 }],
  ['talking nonsense of a settlement', 'settle', { kind: 'garbage' }],
  ['too slow to settle', 'settle', { kind: 'slow', ms: 3_500 }],
];

test('without a payment everybody is told what there is to pay, also who asks without parameters', async () => {
  const { accepts } = await offerOf(server.url, { path: '/x402/address_labels' });
  expect(accepts.map(({ network, amount, asset, payTo, scheme }) => ({ network, amount, asset, payTo, scheme }))).toEqual([
    { network: evmNetwork, amount: '100000', asset: world.evm.asset, payTo: world.receivers[evmNetwork], scheme: 'exact' },
    { network: solanaNetwork, amount: '100000', asset: world.solana.asset, payTo: world.receivers[solanaNetwork], scheme: 'exact' },
  ]);
});

describe.each(networks)('on %s', (network) => {
  const fresh = (funds = price) => world.payer(network, funds);
  const chain = () => (network === evmNetwork ? world.evm : world.solana);
  const pending = { timeout: 10_000, interval: 200 };

  /** Delivers nothing and moves no money. */
  async function refused(payer: Payer, payment: string, asked: Asked = labels): Promise<string | undefined> {
    const before = { payer: await payer.balance(), receiver: await world.received(network) };
    const { status, text, error } = await send(server.url, asked, payment);
    expect(status).toBe(402);
    expect(text).not.toContain('Someone');
    expect(error).toMatch(/^[a-z0-9_]+$/);
    expect({ payer: await payer.balance(), receiver: await world.received(network) }).toEqual(before);
    return error;
  }

  /** On a full machine the facilitator is late, which is 503: the caller sends the same payment again. */
  async function untilAnswered(url: string, payment: string): ReturnType<typeof send> {
    const answer = () => send(url, labels, payment);
    let last = await answer();
    await expect
      .poll(async () => (last.status === 503 ? (last = await answer()).status : last.status), { timeout: 60_000, interval: 200 })
      .not.toBe(503);
    return last;
  }

  test('a replay brings the same answer and is not charged', async () => {
    const payer = await fresh(2n * price);
    const payment = await pay(server.url, labels, payer);
    const first = await send(server.url, labels, payment);
    expect(first.status).toBe(200);
    expect(first.receipt).toMatchObject({ success: true, network });
    const again = await send(server.url, labels, payment);
    expect({ status: again.status, text: again.text, receipt: again.receipt }).toEqual({
      status: 200,
      text: first.text,
      receipt: first.receipt,
    });
    expect(await payer.balance()).toBe(price);
  });

  test('the same id under a new signature brings the first answer and is not charged; for another question it is a conflict', async () => {
    const payer = await fresh(10n * price);
    const id = `pay_${payer.address.slice(2, 30)}`;
    const first = await send(server.url, labels, await pay(server.url, labels, payer, { id }));
    const again = await send(server.url, labels, await pay(server.url, labels, payer, { id }));
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
    const other = await send(server.url, overview, await pay(server.url, overview, payer, { id }));
    expect({ status: other.status, code: JSON.parse(other.text).msg }).toEqual({ status: 409, code: 'PaymentConflict' });
    expect(await payer.balance()).toBe(9n * price);
  });

  test('a payment for one thing buys no other, neither before it is used nor after', async () => {
    const payer = await fresh(10n * price);
    const payment = await pay(server.url, trace, payer);
    // The same price.
    expect(await refused(payer, payment, overview)).toBe('resource_mismatch');
    const another = { path: `/x402/address_trace?coin=ETH&address=${plain}` };
    expect(await refused(payer, payment, another)).toBe('resource_mismatch');
    expect((await send(server.url, trace, payment)).status).toBe(200);
    await refused(payer, payment, overview);
    await refused(payer, payment, another);
  });

  test('the resource that a payment names cannot be changed where the signature has room for it', async () => {
    const payer = await fresh(10n * price);
    const rename = (payload: PaymentPayload): PaymentPayload => ({
      ...payload,
      resource: { ...payload.resource, url: server.url + overview.path },
    });
    const payment = await pay(server.url, trace, payer, { payload: rename });
    // An EIP-3009 signature does not cover the resource. Only the payer can present it, and it buys one resource.
    if (network === solanaNetwork) expect(await refused(payer, payment, overview)).toBe('resource_mismatch');
    else {
      expect((await send(server.url, overview, payment)).status).toBe(200);
      await refused(
        payer,
        await pay(server.url, trace, payer, { payload: () => JSON.parse(Buffer.from(payment, 'base64').toString()) }),
        trace,
      );
      expect(await payer.balance()).toBe(5n * price);
    }
  });

  test('who pays too little gets nothing, whatever the payment says that it accepts', async () => {
    const payer = await fresh();
    await refused(payer, await pay(server.url, labels, payer, { sign: { amount: '99999' } }));
    await refused(payer, await pay(server.url, labels, payer, { sign: { amount: '99999' }, accept: { amount: '100000' } }));
    await refused(payer, await pay(server.url, labels, payer, { sign: { amount: '0' }, accept: { amount: '100000' } }));
  });

  test('who pays somebody else gets nothing', async () => {
    const payer = await fresh();
    const payTo = network === evmNetwork ? newEvmWallet().address : (await newSolanaWallet()).address;
    await chain().fund(payTo, 0n);
    await refused(payer, await pay(server.url, labels, payer, { sign: { payTo } }));
    await refused(payer, await pay(server.url, labels, payer, { sign: { payTo }, accept: { payTo: world.receivers[network] } }));
    expect(await chain().balanceOf(payTo)).toBe(0n);
  });

  test('who names another network or asset gets nothing', async () => {
    const payer = await fresh();
    const other = network === evmNetwork ? solanaNetwork : evmNetwork;
    for (const accept of [{ network: 'eip155:84532' as const }, { network: other as typeof evmNetwork }, { asset: newEvmWallet().address }])
      await refused(payer, await pay(server.url, labels, payer, { accept }));
  });

  test('what was changed after signing is worth nothing', async () => {
    const payer = await fresh(10n * price);
    const change = (payload: PaymentPayload): PaymentPayload => {
      const { authorization, transaction } = payload.payload as { authorization?: { value: string }; transaction?: string };
      if (authorization !== undefined)
        return { ...payload, payload: { ...payload.payload, authorization: { ...authorization, value: '100000' } } };
      const bytes = Buffer.from(transaction ?? '', 'base64');
      const at = bytes.indexOf(amountBytes(1n));
      return {
        ...payload,
        payload: { transaction: Buffer.concat([bytes.subarray(0, at), amountBytes(price), bytes.subarray(at + 8)]).toString('base64') },
      };
    };
    await refused(payer, await pay(server.url, labels, payer, { sign: { amount: '1' }, accept: { amount: '100000' }, payload: change }));
  });

  test('who has no balance gets nothing', async () => {
    // For Solana the facilitator reports only a failed simulation.
    const code = network === evmNetwork ? 'insufficient_funds' : 'payment_refused';
    for (const funds of [0n, price - 1n]) {
      const payer = await fresh(funds);
      expect(await refused(payer, await pay(server.url, labels, payer))).toBe(code);
    }
  });

  test('what has expired is worth nothing', async () => {
    const payer = await fresh();
    const payment = await pay(server.url, labels, payer, network === evmNetwork ? { sign: { maxTimeoutSeconds: 1 } } : {});
    world.solana.expireBlockhash();
    await refused(payer, payment);
  });

  test('a question that is no good costs nothing', async () => {
    const payer = await fresh();
    for (const path of [
      '/x402/address_labels',
      '/x402/address_labels?coin=ETH&address=nobody',
      `/x402/address_labels?coin=NOPE&address=${known}`,
    ]) {
      const answer = await send(server.url, { path }, await pay(server.url, { path }, payer));
      expect([path, answer.status]).toEqual([path, 400]);
    }
    expect(await payer.balance()).toBe(price);
  });

  test('HEAD and OPTIONS give nothing away and take nothing', async () => {
    const payer = await fresh();
    const payment = await pay(server.url, labels, payer);
    const runs = async () => (await world.ledger()).length;
    const before = await runs();
    for (const header of [undefined, payment]) {
      const head = await send(server.url, { ...labels, method: 'HEAD' }, header);
      expect([head.status, head.text, head.receipt]).toEqual([402, '', undefined]);
      const options = await send(server.url, { ...labels, method: 'OPTIONS' }, header);
      expect([options.status < 300, options.text.includes('Someone'), options.receipt]).toEqual([true, false, undefined]);
    }
    expect(await runs()).toBe(before);
    expect(await payer.balance()).toBe(price);
  });

  test('the same payment many times at once on two replicas is charged once, and all get the one answer', async () => {
    const replica = await world.server();
    const payer = await fresh(5n * price);
    const payment = await pay(server.url, labels, payer);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => untilAnswered(i % 2 ? server.url : replica.url, payment)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text, receipt }) => text + JSON.stringify(receipt))).size).toBe(1);
    expect(await payer.balance()).toBe(4n * price);
    await replica.remove();
  });

  test('a payment that is settled by another call while this one has it verified is answered, not refused', async () => {
    const payer = await fresh();
    const payment = await pay(server.url, labels, payer);
    const held = world.facilitator.hold('verify', 'before');
    const slow = send(server.url, labels, payment);
    await held.reached;
    const quick = await send(server.url, labels, payment);
    held.release();
    const { status, text } = await slow;
    expect({ status, text }).toEqual({ status: 200, text: quick.text });
    expect(await payer.balance()).toBe(0n);
  });

  test('a facilitator that is away is 503, not 402, and costs nothing', async () => {
    const payer = await fresh();
    const payment = await pay(server.url, labels, payer);
    await world.facilitator.away();
    const away = await send(server.url, labels, payment);
    expect([away.status, away.headers.get('payment-required'), away.headers.has('retry-after')]).toEqual([503, null, true]);
    await world.facilitator.back();
    expect(await payer.balance()).toBe(price);
    expect((await send(server.url, labels, payment)).status).toBe(200);
    expect(await payer.balance()).toBe(0n);
  });

  // Verification is the same on every chain, so one chain suffices.
  test.each(network === evmNetwork ? [...verifyFaults, ...settleFaults] : settleFaults)(
    'a facilitator that is %s: never 402, and the same payment has its answer later, for one price',
    async (_, on, fault) => {
      const payer = await fresh(2n * price);
      const payment = await pay(server.url, labels, payer);
      const asked = fault.kind === 'slow' ? await world.server(hasty) : server;
      world.facilitator.fault(on, fault);
      const first = await send(asked.url, labels, payment);
      expect([200, 503]).toContain(first.status);
      await expect.poll(async () => (await send(server.url, labels, payment)).status, pending).toBe(200);
      expect(await payer.balance()).toBe(price);
      if (asked !== server) await asked.remove();
    },
  );

  test('a settlement that is pending is not 402: it is settled, delivered and charged once', async () => {
    const payer = await fresh(2n * price);
    const payment = await pay(server.url, labels, payer);
    await chain().pauseMining();
    const first = await send(server.url, labels, payment);
    await chain().mine();
    expect([first.status, JSON.parse(first.text).msg]).toEqual([503, 'SettlementPending']);
    await expect.poll(async () => (await send(server.url, labels, payment)).status, pending).toBe(200);
    expect(await payer.balance()).toBe(price);
  });
});

function amountBytes(amount: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return bytes;
}
