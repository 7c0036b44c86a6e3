import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLabels, loadTransfers } from '../index.ts';
import { get, type Instance, post } from '../testing/instance.ts';
import { type PaidCall, pay, type Payer, type PayWorld, receiptIn, requiredBy, startPayWorld } from '../testing/paying.ts';
import { evmNetwork, payNetworks, unitsOf } from './networks.ts';
import { type PaidName, specifiedPrices } from './prices.ts';

const address = '0x28C6c06298d514Db089934071355E5743bf21d60';
const other = '0x00000000000000000000000000000000000000aa';
const paths: Record<PaidName, string> = {
  address_labels: '/v1/address_labels',
  address_overview: '',
  risk_score: '/v2/risk_score',
  risk_score_create_task: '/v2/risk_score_create_task',
  transactions_investigation: '/v1/transactions_investigation',
  address_action: '/v1/address_action',
  address_trace: '',
  address_counterparty: '/v1/address_counterparty',
};

const callOf = (name: PaidName): PaidCall => ({
  method: name === 'risk_score_create_task' ? 'POST' : 'GET',
  path: `/x402/${name}`,
  fields: { coin: 'ETH', address },
});

let world: PayWorld;
let instance: Instance;
let payer: Payer;
let api_key: string;
beforeAll(async () => {
  world = await startPayWorld();
  instance = await world.start();
  payer = await world.payer();
  api_key = await world.service.key({ surface: 'standard' });
  const { pool } = world.service.database;
  const label = {
    chain: 'ethereum',
    name: 'Binance',
    category: 'exchange',
    valid_from: null,
    valid_to: null,
    confidence: 1,
    source: 'test',
  } as const;
  await loadLabels(pool, [{ ...label, address: address.toLowerCase() }]);
  const transfer = { chain: 'ethereum', position: 0, coin: 'ETH', amount: '1', usd_value: '1000', source: 'test' } as const;
  const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
  await loadTransfers(pool, [
    { ...transfer, txid: hash(1), from_address: other, to_address: address.toLowerCase(), time: '2025-01-01T00:00:00Z' },
    { ...transfer, txid: hash(2), from_address: address.toLowerCase(), to_address: other, time: '2025-01-02T00:00:00Z' },
  ]);
});
afterAll(() => world.stop());

const names = Object.keys(specifiedPrices) as PaidName[];
const withoutReport = (data: Record<string, unknown> | undefined) => (data === undefined ? undefined : { ...data, risk_report_url: '' });

describe.each(payNetworks)('paid on %s', (network) => {
  it.each(names)('%s is answered as the standard API does, and charged to the unit', async (name) => {
    const call = callOf(name);
    const price = unitsOf(specifiedPrices[name]);
    const before = { payer: await payer.balance(network), receiver: await world.received(network) };
    const { answer } = await pay(instance.url, call, payer, network);
    expect([answer.status, answer.body.success]).toEqual([200, true]);
    const after = { payer: await payer.balance(network), receiver: await world.received(network) };
    expect([before.payer - after.payer, after.receiver - before.receiver]).toEqual([price, price]);
    expect(receiptIn(answer)).toMatchObject({ success: true, network, transaction: expect.stringMatching(/\w{40,}/) });

    if (paths[name] === '') return;
    const standard =
      call.method === 'GET'
        ? await get(instance.url + paths[name], { ...call.fields, api_key })
        : await post(instance.url + paths[name], { ...call.fields, api_key });
    if (name === 'address_counterparty') expect(answer.body).toEqual(standard.body);
    else if (call.method === 'GET') expect(withoutReport(answer.body.data)).toEqual(withoutReport(standard.body.data));
    else expect(Object.keys(answer.body.data)).toEqual(Object.keys(standard.body.data));
  });
});

describe('a paid task', () => {
  it('is polled free of charge at an address that nobody can guess', async () => {
    const call = { ...callOf('risk_score_create_task'), fields: { address: '0x00000000000000000000000000000000000000bb' } };
    const { answer } = await pay(instance.url, call, payer, evmNetwork);
    const location = answer.headers.get('location') ?? '';
    expect(location).toMatch(/^\/x402\/tasks\/[\w-]{32}$/);
    await expect.poll(async () => (await get(instance.url + location)).body.data.score, { timeout: 15_000 }).toBe(3);
    expect((await get(`${instance.url}/x402/tasks/${'x'.repeat(32)}`)).body).toEqual({ success: true, msg: 'TaskNotFound', data: {} });
  });
});

describe('what is asked for', () => {
  it('fits into a header, on both networks, before anything is looked at', async () => {
    for (const name of names) {
      const required = await requiredBy(instance.url, { ...callOf(name), fields: {} });
      expect(required.accepts.map(({ network, amount }) => [network, BigInt(amount)])).toEqual(
        payNetworks.map((network) => [network, unitsOf(specifiedPrices[name])]),
      );
      expect(Buffer.from(JSON.stringify(required)).toString('base64').length).toBeLessThan(6_000);
    }
  });
});
