import { expect } from 'vitest';
import type { PaidName } from '../payments/prices.ts';
import { get } from '../testing/instance.ts';
import { requiredOf, send } from '../testing/paying.ts';
import { at, type Case, type Cases, tx, type World } from './world.ts';

const api = 'Pay-per-call API at {x402_base_url}';
const address = { coin: 'ETH', address: at.user };

async function priceOf(world: World, method: 'GET' | 'POST', path: string): Promise<string[]> {
  const required = requiredOf(await send(world.instance.url, { method, path, fields: {} }));
  expect(required.accepts.map(({ scheme }) => scheme)).toEqual(['exact', 'exact']);
  expect(required.accepts.map(({ network }) => network)).toEqual(['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']);
  return required.accepts.map(({ amount }) => amount);
}

/** Checks 402 with the price, 200 with these fields, and the parameters of the table. */
function paid(name: PaidName, units: string, has: readonly string[]): Case {
  const path = `/x402/${name}`;
  return async (world) => {
    expect(await priceOf(world, 'GET', path)).toEqual([units, units]);
    const { status, body } = await world.paid('GET', path, { address: at.user });
    expect([status, body.success, body.msg]).toEqual([200, true, '']);
    expect(Object.keys(body.data ?? body)).toEqual(expect.arrayContaining([...has]));
    expect((await world.paid('GET', path, { coin: 'ETH' })).body.msg).toBe('InvalidAddress');
    expect((await world.paid('GET', path, { address: '', coin: 'ETH' })).body.msg).toBe('InvalidAddress');
    expect((await world.paid('GET', path, { ...address, coin: 'NONE' })).body.msg).toBe('UnsupportedToken');
  };
}

export const payCases: Cases = {
  [`${api}: GET /x402/address_labels`]: paid('address_labels', '100000', ['label_list', 'label_type']),
  [`${api}: GET /x402/address_overview`]: paid('address_overview', '500000', ['balance', 'txs_count', 'first_seen', 'last_seen']),
  [`${api}: GET /x402/risk_score`]: async (world) => {
    await paid('risk_score', '1000000', ['score', 'risk_level', 'risk_detail', 'risk_report_url'])(world);
    const byTx = async (fields: Record<string, string>) => (await world.paid('GET', '/x402/risk_score', fields)).body.data.score;
    expect(await byTx({ txid: tx(60) })).toBe(await byTx({ txid: tx(60), address: at.lone }));
  },
  [`${api}: POST /x402/risk_score_create_task`]: async (world) => {
    const path = '/x402/risk_score_create_task';
    expect(await priceOf(world, 'POST', path)).toEqual(['1000000', '1000000']);
    const { status, body, headers } = await world.paid('POST', path, { address: at.lone, txid: tx(60) });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, msg: '', data: { has_result: expect.any(Boolean), scanned_ts: expect.any(Number) } },
    });
    const poll = async () => (await get(world.instance.url + headers.get('location'))).body;
    await expect.poll(async () => (await poll()).data.address_label, { timeout: 15_000 }).toBe('Blender');
    expect((await world.paid('POST', path, { txid: tx(60) })).body.msg).toBe('InvalidAddress');
    expect((await world.paid('POST', path, { address: '' })).body.msg).toBe('InvalidAddress');
  },
  [`${api}: GET /x402/transactions_investigation`]: paid('transactions_investigation', '1000000', ['in', 'out', 'page', 'total_pages']),
  [`${api}: GET /x402/address_action`]: paid('address_action', '500000', ['received_txs', 'spent_txs']),
  [`${api}: GET /x402/address_trace`]: paid('address_trace', '500000', [
    'first_address',
    'use_platform',
    'malicious_event',
    'relation_info',
  ]),
  [`${api}: GET /x402/address_counterparty`]: paid('address_counterparty', '500000', ['address_counterparty_list']),
  'extra: GET /x402/tasks/{task_id} of a task that is none': async (world) => {
    for (const none of ['nothing', 'a'.repeat(32), 'a'.repeat(513), 'a%00b'])
      expect((await get(`${world.instance.url}/x402/tasks/${none}`)).body).toEqual({ success: true, msg: 'TaskNotFound', data: {} });
  },
  'Limits: Price': async (world) => {
    const { items } = (await get(`${world.instance.url}/.well-known/x402`)).body;
    expect(new Set(items.map(({ price }: { price: string }) => price))).toEqual(new Set(['0.1', '0.5', '1']));
  },
  'Limits: address min length': async (world) => {
    const { paths } = (await get(`${world.instance.url}/openapi.json`)).body;
    for (const path of ['/x402/address_labels', '/x402/address_trace']) {
      const parameters: { name: string; required: boolean; schema: { minLength?: number } }[] = paths[path].get.parameters;
      expect(parameters.find(({ name }) => name === 'address')).toMatchObject({ required: true, schema: { minLength: 1 } });
    }
  },
  'Surfaces and addresses: /.well-known/x402': async (world) => {
    const { status, body } = await get(`${world.instance.url}/.well-known/x402`);
    expect([status, body.resources.length]).toEqual([200, 8]);
    for (const { resource, method } of body.items) expect((await fetch(resource, { method })).status).toBe(402);
  },
  'extra: GET /.well-known/x402 takes no payment': async (world) =>
    expect((await fetch(`${world.instance.url}/.well-known/x402`)).headers.get('access-control-expose-headers')).toContain(
      'PAYMENT-REQUIRED',
    ),
  'Bodies that are not shown: pay-per-call bodies': async (world) => {
    for (const [name, path] of [
      ['address_labels', '/v1/address_labels'],
      ['address_action', '/v1/address_action'],
      ['transactions_investigation', '/v1/transactions_investigation'],
    ] as const) {
      // Without additions beside the envelope, as action_dic.
      const { success, msg, data } = (await world.ask(path, address)).body;
      expect((await world.paid('GET', `/x402/${name}`, address)).body).toEqual({ success, msg, data });
    }
  },
  'Bodies that are not shown: address_counterparty for x402': async (world) =>
    expect((await world.paid('GET', '/x402/address_counterparty', address)).body).toEqual(
      (await world.ask('/v1/address_counterparty', address)).body,
    ),
};
