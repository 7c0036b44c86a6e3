import { expect } from 'vitest';
import { sandboxTargets } from '../surfaces/sandbox/targets.ts';
import { get, post, resultOf } from '../testing/instance.ts';
import { at, busyTransfers, type Case, type Cases, tx, type World } from './world.ts';
import { create } from '../testing/calls.ts';

const address = { coin: 'ETH', address: at.user };
const known = { coin: 'ETH', address: sandboxTargets[0]?.address ?? '' };
const standard = 'Standard API at {base_url}';
const sandbox = 'Sandbox API at {sandbox_url}';

const answers =
  (method: 'ask' | 'send', path: string, fields: Readonly<Record<string, string>>, has: readonly string[]): Case =>
  async (world) => {
    const { status, body } = await world[method](path, fields);
    expect([status, body.success]).toEqual([200, true]);
    expect(Object.keys(body.data ?? body)).toEqual(expect.arrayContaining([...has]));
  };

const refuses =
  (method: 'ask' | 'send', path: string, fields: Readonly<Record<string, string>>, msg: string): Case =>
  async (world) =>
    expect(await world[method](path, fields)).toMatchObject({ status: 400, body: { success: false, msg, data: {} } });

/** Cases of a call with a coin, an address and a key. */
function addressCases(path: string, coin: 'required' | 'default'): Cases {
  const name = `GET ${path}`;
  return {
    [`${name}: coin`]: async (world) => {
      if (coin === 'required') await refuses('ask', path, { address: at.user }, 'InvalidParameter')(world);
      else await answers('ask', path, { address: at.user }, [])(world);
      await refuses('ask', path, { coin: 'NONE', address: at.user }, 'UnsupportedToken')(world);
      await refuses('ask', path, { coin: 'TRX', address: at.user }, 'InvalidAddress')(world);
    },
    [`${name}: address`]: async (world) => {
      await refuses('ask', path, { coin: 'ETH' }, 'InvalidAddress')(world);
      await refuses('ask', path, { coin: 'ETH', address: 'name.eth' }, 'UnsupportedAddressType')(world);
    },
    [`${name}: api_key`]: needsKey('get', path, address),
  };
}

/** The same cases, for a call that the specification does not have. */
function extra(cases: Cases): Cases {
  return Object.fromEntries(Object.entries(cases).map(([id, run]) => [`extra: ${id}`, run]));
}

function needsKey(method: 'get' | 'post', path: string, fields: Readonly<Record<string, string>>): Case {
  return async ({ instance, sandboxKey }) => {
    const call = method === 'get' ? get : post;
    for (const api_key of ['', 'nobody', sandboxKey])
      expect(await call(instance.url + path, { ...fields, api_key })).toMatchObject({ status: 400, body: { msg: 'InvalidApiKey' } });
  };
}

const page = '/v1/transactions_investigation';
const busy = { coin: 'ETH', address: at.busy };
const startOf = (transfer: number): number => Date.UTC(2025, 0, 1) / 1_000 + (1_000 + transfer) * 60;
const count = async (world: World, query: Record<string, string>): Promise<number> =>
  (await world.ask(page, { ...busy, ...query })).body.data.transactions_on_page;

export const callCases: Cases = {
  [`${standard}: GET /v1/address_labels`]: answers('ask', '/v1/address_labels', address, ['label_list', 'label_type']),
  [`${standard}: GET /v1/address_counterparty`]: answers('ask', '/v1/address_counterparty', address, ['address_counterparty_list']),
  [`${standard}: GET /v1/address_action`]: answers('ask', '/v1/address_action', address, ['received_txs', 'spent_txs']),
  [`${standard}: GET /v1/transactions_investigation`]: answers('ask', page, address, [
    'in',
    'out',
    'page',
    'total_pages',
    'transactions_on_page',
  ]),
  [`${standard}: GET /v1/risk_score`]: answers('ask', '/v1/risk_score', address, ['score', 'hacking_event', 'detail_list', 'risk_level']),
  [`${standard}: GET /v2/risk_score`]: answers('ask', '/v2/risk_score', { coin: 'ETH', txid: tx(60) }, ['risk_detail', 'risk_report_url']),
  [`${standard}: POST /v2/risk_score_create_task`]: answers('send', '/v2/risk_score_create_task', address, ['has_result', 'scanned_ts']),
  [`${standard}: GET /v2/risk_score_query_task`]: async (world) => {
    await world.score({ address: at.user });
    await world.send('/v2/risk_score_create_task', address);
    const { data } = (await world.ask('/v2/risk_score_query_task', address)).body;
    expect(Object.keys(data).sort()).toEqual(['coverage', 'detail_list', 'hacking_event', 'risk_detail', 'risk_level', 'score']);
  },
  [`${standard}: POST /v3/risk_score_create_task`]: answers('send', create, address, ['has_result', 'scanned_ts', 'task_id']),
  [`${standard}: GET /v3/risk_score_query_task`]: async (world) =>
    expect(Object.keys(await world.score({ address: at.user }))).toEqual(
      expect.arrayContaining(['address_label', 'risk_report_url', 'risk_detail']),
    ),
  [`${sandbox}: GET /v3/risk_score`]: answers('ask', '/sandbox/v3/risk_score', known, ['score', 'address_label', 'risk_report_url']),
  [`${sandbox}: POST /v3/risk_score_create_task`]: answers('send', `/sandbox${create}`, { ...known, direction: 'withdraw' }, [
    'task_id',
    'has_result',
    'scanned_ts',
  ]),
  [`${sandbox}: GET /v3/risk_score_query_task`]: async (world) => {
    const { task_id } = (await world.send(`/sandbox${create}`, known)).body.data;
    const task = (await world.ask('/sandbox/v3/risk_score_query_task', { task_id })).body;
    const direct = (await world.ask('/sandbox/v3/risk_score', known)).body;
    expect({ ...task.data, risk_report_url: '' }).toEqual({ ...direct.data, risk_report_url: '' });
  },

  ...addressCases('/v1/address_labels', 'required'),
  ...addressCases('/v1/address_counterparty', 'default'),
  ...addressCases('/v1/address_action', 'required'),
  ...addressCases(page, 'required'),
  [`GET ${page}: start_timestamp`]: async (world) => {
    expect(await count(world, { start_timestamp: String(startOf(busyTransfers - 10)) })).toBe(10);
    expect(await count(world, { start_timestamp: String(startOf(busyTransfers - 10) + 1) })).toBe(9);
    expect((await world.ask(page, { ...busy })).body.data).toEqual((await world.ask(page, { ...busy, start_timestamp: '0' })).body.data);
    await refuses('ask', page, { ...busy, start_timestamp: 'soon' }, 'InvalidParameter')(world);
  },
  [`GET ${page}: end_timestamp`]: async (world) => {
    expect(await count(world, { end_timestamp: String(startOf(4)) })).toBe(5);
    expect(await count(world, { end_timestamp: String(startOf(4) - 1) })).toBe(4);
    expect(await count(world, { end_timestamp: '0' })).toBe(0);
    await refuses('ask', page, { ...busy, start_timestamp: '2', end_timestamp: '1' }, 'InvalidParameter')(world);
  },
  [`GET ${page}: type`]: async (world) => {
    const of = async (type: string) => (await world.ask(page, { ...busy, type })).body.data;
    expect([(await of('in')).out, (await of('out')).in]).toEqual([[], []]);
    expect((await of('in')).total_pages).toBe(2);
    expect(await of('all')).toEqual((await world.ask(page, busy)).body.data);
    await refuses('ask', page, { ...busy, type: 'both' }, 'InvalidParameter')(world);
  },
  [`GET ${page}: page`]: async (world) => {
    const seen = new Set<string>();
    for (const number of ['1', '2', '3']) {
      const { in: received, out } = (await world.ask(page, { ...busy, page: number })).body.data;
      for (const unit of [...received, ...out]) for (const hash of unit.tx_hash_list) seen.add(hash);
    }
    expect(seen.size).toBe(busyTransfers);
    expect((await world.ask(page, busy)).body.data.page).toBe(1);
    for (const wrong of ['0', '-1', '1.5', '101', 'x']) await refuses('ask', page, { ...busy, page: wrong }, 'InvalidParameter')(world);
  },

  [`POST ${create}: coin`]: refuses('send', create, { address: at.user }, 'InvalidParameter'),
  [`POST ${create}: address`]: async (world) => {
    await refuses('send', create, { coin: 'ETH', txid: '' }, 'InvalidAddress')(world);
    await refuses('send', create, { ...address, txid: tx(60) }, 'InvalidParameter')(world);
  },
  [`POST ${create}: txid`]: async (world) => {
    await answers('send', create, { coin: 'ETH', txid: tx(60), address: '' }, ['task_id'])(world);
    await refuses('send', create, { coin: 'ETH', txid: '0x12' }, 'InvalidParameter')(world);
  },
  [`POST ${create}: direction`]: async (world) => {
    const of = async (direction?: string) =>
      (await world.score({ txid: tx(60), ...(direction === undefined ? {} : { direction }) })).address_label;
    expect([await of(), await of('deposit'), await of('withdraw')]).toEqual(['Blender', 'Blender', 'Good Exchange']);
    await refuses('send', create, { coin: 'ETH', txid: tx(60), direction: 'up' }, 'InvalidParameter')(world);
  },
  [`POST ${create}: api_key`]: needsKey('post', create, address),
  'GET /v3/risk_score_query_task: task_id': async (world) => {
    await refuses('ask', '/v3/risk_score_query_task', {}, 'InvalidParameter')(world);
    const { body } = await world.send(create, address);
    expect((await resultOf(world.instance.url, world.key, body.data.task_id)).msg).toBe('');
  },
  'GET /v3/risk_score_query_task: api_key': needsKey('get', '/v3/risk_score_query_task', { task_id: 'x' }),
  'extra: GET /v1/score_changes begins at the present end, and takes nothing from the limits': async (world) => {
    const { status, body } = await world.ask('/v1/score_changes');
    expect([status, body.success, body.data.items]).toEqual([200, true, []]);
    expect(await world.ask('/v1/score_changes', { after: body.data.next_cursor })).toMatchObject({ status: 200 });
    await refuses('ask', '/v1/score_changes', { after: 'none' }, 'InvalidParameter')(world);
    await needsKey('get', '/v1/score_changes', {})(world);
  },
  'extra: GET /v1/address_trace says where the money of a thief went, and where that of a customer came from': async (world) => {
    const trace = async (query: Readonly<Record<string, string>>) =>
      (await world.ask('/v1/address_trace', { coin: 'ETH', ...query })).body.data.trace;
    expect(await trace({ address: at.friend })).toMatchObject({
      direction: 'forward',
      value: 2_000,
      terminals: [{ kind: 'held', address: at.far }],
    });
    expect(await trace({ address: at.far, direction: 'backward', method: 'fifo' })).toMatchObject({
      value: 2_000,
      terminals: [{ kind: 'risk', entity: 'Bridge Heist', value: { fifo: 2_000 }, hops: 2, path: [{ txid: tx(50) }, { txid: tx(51) }] }],
    });
  },
  'extra: GET /v1/prices takes nothing from the limits': async (world) => {
    const { status, body } = await world.ask('/v1/prices', { coin: 'ETH', day: '2000-01-01' });
    expect([status, body.success, body.data]).toEqual([200, true, null]);
    await refuses('ask', '/v1/prices', { coin: 'ETH', day: 'none' }, 'InvalidParameter')(world);
    await needsKey('get', '/v1/prices', { coin: 'ETH' })(world);
  },
  'extra: Standard API: GET /v3/risk_score answers as its task does': async (world) => {
    const { data } = (await world.ask('/v3/risk_score', address)).body;
    expect({ ...data, risk_report_url: '' }).toEqual({ ...(await world.score({ address: at.user })), risk_report_url: '' });
    await refuses('ask', '/v3/risk_score', { ...address, txid: tx(60) }, 'InvalidParameter')(world);
    await needsKey('get', '/v3/risk_score', address)(world);
  },
  'extra: GET /v1/address_overview': answers('ask', '/v1/address_overview', address, ['balance', 'txs_count', 'first_seen', 'last_seen']),
  ...extra(addressCases('/v1/address_overview', 'required')),
  'extra: GET /v1/risk_report takes no key but the token of its address': async (world) => {
    const { data } = (await world.ask('/v2/risk_score', address)).body;
    const head = await fetch(data.risk_report_url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(await get(`${world.instance.url}/v1/risk_report`, { access_token: 'none' })).toMatchObject({
      status: 403,
      body: { success: false, msg: 'InvalidAccessToken', data: {} },
    });
  },
  'extra: GET /v1/status takes no key': async (world) => {
    const { status, body } = await get(`${world.instance.url}/v1/status`);
    expect([status, body.success, Object.keys(body.data)]).toEqual([200, true, ['support_api', 'support_coin', 'support_network']]);
  },
};
