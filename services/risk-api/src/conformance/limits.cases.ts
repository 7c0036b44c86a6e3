import { addressOverview } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import { expect } from 'vitest';
import { overview } from '../http/schemas/answers.ts';
import { trace } from '../http/schemas/trace.ts';
import { sandboxTargets } from '../surfaces/sandbox/targets.ts';
import { createTestService, get, post } from '../testing/instance.ts';
import { openLine } from '../testing/line.ts';
import { at, type Case, type Cases, tx, type World } from './world.ts';

const known = { coin: 'ETH', address: sandboxTargets[0]?.address ?? '' };
const address = { coin: 'ETH', address: at.user };
const errors = 'Errors of the standard API';
const surfaces = 'Surfaces and addresses';

const is =
  (path: string, fields: Readonly<Record<string, string>>, msg: string, status = 400): Case =>
  async (world) =>
    expect(await world.ask(path, fields)).toMatchObject({ status, body: { success: false, msg } });

async function limited(
  world: World,
  surface: 'standard' | 'sandbox',
  plan: { perSecond: number | null; perDay: number | null },
  msg: string,
): Promise<void> {
  const api_key = await world.service.key({ surface, ...plan });
  const path = surface === 'sandbox' ? '/sandbox/v3/risk_score' : '/v1/address_labels';
  const call = () => get(world.instance.url + path, { ...(surface === 'sandbox' ? known : address), api_key });
  expect((await call()).status).toBe(200);
  const { status, body, headers } = await call();
  expect({ status, body }).toEqual({ status: 429, body: { success: false, msg, data: {}, retry_after: expect.any(Number) } });
  expect(headers.get('retry-after')).toBe(String(body.retry_after));
  if (msg === 'ExceededRateLimit') expect(body.retry_after).toBe(1);
}

const perSecond =
  (surface: 'standard' | 'sandbox'): Case =>
  (world) =>
    limited(world, surface, { perSecond: 1, perDay: null }, 'ExceededRateLimit');
const perDay =
  (surface: 'standard' | 'sandbox'): Case =>
  (world) =>
    limited(world, surface, { perSecond: null, perDay: 1 }, 'ExceededDailyRateLimit');

export const limitCases: Cases = {
  'Errors: 400 InvalidApiKey': is('/sandbox/v3/risk_score', { ...known, api_key: 'nobody' }, 'InvalidApiKey'),
  'Errors: 400 InvalidParameter': async (world) => {
    for (const wrong of [{ ...known, coin: 'BTC' }, { ...known, coin: 'TRX' }, address, { ...known, txid: tx(1) }])
      await is('/sandbox/v3/risk_score', wrong, 'InvalidParameter')(world);
  },
  'Errors: 400 InvalidAddress': is('/sandbox/v3/risk_score', { coin: 'ETH', address: '', txid: '' }, 'InvalidAddress'),
  'Errors: 429 ExceededRateLimit': perSecond('sandbox'),
  'Errors: 429 ExceededDailyRateLimit': perDay('sandbox'),
  'Errors: 200 TaskNotFound': is('/sandbox/v3/risk_score_query_task', { task_id: 'nothing' }, 'TaskNotFound', 200),

  'Limits: Requests per second': async (world) => {
    const api_key = await world.service.key({ surface: 'sandbox' });
    const call = () => get(`${world.instance.url}/sandbox/v3/risk_score`, { ...known, api_key });
    const start = systemClock.monotonic();
    const statuses = (await Promise.all(Array.from({ length: 25 }, call))).map(({ status }) => status);
    const accepted = statuses.filter((status) => status === 200).length;
    expect(accepted).toBeGreaterThanOrEqual(10);
    expect(accepted).toBeLessThanOrEqual(10 * Math.ceil((systemClock.monotonic() - start) / 1_000));
  },
  'Limits: Requests per day': async (world) => {
    await world.service.key({ surface: 'sandbox' });
    const { rows } = await world.service.database.pool.query(
      'SELECT DISTINCT per_second, per_day FROM risk.api_keys WHERE surface = $1 AND per_second = 10',
      ['sandbox'],
    );
    expect(rows).toEqual([{ per_second: 10, per_day: 10_000 }]);
    await perDay('sandbox')(world);
  },
  'Limits: Rate limit': async (world) => {
    const api_key = await world.service.key({ surface: 'standard', perSecond: 1, perDay: 1 });
    for (let n = 0; n < 5; n += 1) {
      expect((await get(`${world.instance.url}/v3/risk_score_query_task`, { task_id: 'x', api_key })).status).toBe(200);
      expect((await get(`${world.instance.url}/v2/risk_score_query_task`, { ...address, api_key })).status).toBe(200);
    }
  },
  'Limits: transactions_on_page': async (world) =>
    expect((await world.ask('/v1/transactions_investigation', { coin: 'ETH', address: at.busy })).body.data.transactions_on_page).toBe(
      1_000,
    ),
  'Limits: Score range': async (world) => {
    expect((await world.score({ address: at.lone })).score).toBe(3);
    expect((await world.score({ address: at.listed })).score).toBe(100);
  },

  [`${errors}: 400`]: async (world) => {
    const path = '/v2/risk_score';
    await is(path, { ...address, api_key: '' }, 'InvalidApiKey')(world);
    await is(path, { address: at.user }, 'InvalidParameter')(world);
    await is(path, { ...address, txid: tx(1) }, 'InvalidParameter')(world);
    await is(path, { coin: 'ETH' }, 'InvalidAddress')(world);
    await is(path, { coin: 'BTC', address: at.user }, 'InvalidAddress')(world);
    await is(path, { coin: 'NOCOIN', address: at.user }, 'UnsupportedToken')(world);
    await is(path, { coin: 'BTC', address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }, 'UnsupportedAddressType')(world);
  },
  [`${errors}: 402`]: async (world) => {
    const api_key = await world.service.key({ surface: 'standard', expiresAt: new Date(1_000) });
    await is('/v2/risk_score', { ...address, api_key }, 'ExpiredPlan', 402)(world);
  },
  [`${errors}: 404`]: is('/v4/risk_score', address, 'PageNotFound', 404),
  [`${errors}: 413, 415`]: async (world) => {
    const url = `${world.instance.url}/v3/risk_score_create_task`;
    expect(await post(url, { coin: 'x'.repeat(20_000) })).toMatchObject({ status: 413, body: { msg: 'PayloadTooLarge' } });
    expect(await post(url, 'coin=ETH', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { msg: 'UnsupportedMediaType' },
    });
  },
  [`${errors}: 429`]: async (world) => {
    await perSecond('standard')(world);
    await perDay('standard')(world);
  },
  [`${errors}: 500, 503`]: async () => {
    const service = await createTestService();
    const line = await openLine(service.database.url);
    try {
      const { url } = await service.start({ databaseUrl: line.url, settings: { workers: 0 } });
      const query = { ...address, api_key: await service.key({ surface: 'standard' }) };
      await service.database.pool.query('ALTER TABLE chain.labels RENAME TO gone');
      const failed = await get(`${url}/v1/address_labels`, query);
      expect({ status: failed.status, body: failed.body }).toEqual({
        status: 500,
        body: { success: false, msg: 'InternalError', data: {} },
      });
      await line.cut();
      const away = await get(`${url}/v1/address_labels`, query);
      expect({ status: away.status, body: away.body }).toEqual({
        status: 503,
        body: { success: false, msg: 'ServiceUnavailable', data: {} },
      });
    } finally {
      await service.stop();
      await line.cut();
    }
  },

  [`${surfaces}: /openapi.json`]: async (world) => {
    const { body } = await get(`${world.instance.url}/openapi.json`);
    expect([body.openapi, body.info.version]).toEqual(['3.1.0', '1.0.0']);
    expect(Object.keys(body.paths)).toHaveLength(31);
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/x402/'))).toHaveLength(9);
  },
  [`${surfaces}: /docs`]: async (world) => {
    const { body } = await get(`${world.instance.url}/docs`);
    for (const path of ['GET /v1/risk_score', 'POST /sandbox/v3/risk_score_create_task']) expect(body).toContain(path);
  },
  [`${surfaces}: /healthz, /readyz, /metrics`]: async (world) => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await get(world.instance.url + path)).status).toBe(200);
  },
  'extra: GET /sandbox/targets takes no key': async (world) => {
    const { body } = await get(`${world.instance.url}/sandbox/targets`);
    expect(body.targets.map(({ address: target, txid }: { address?: string; txid?: string }) => target ?? txid)).toEqual(
      sandboxTargets.map((target) => target.address ?? target.txid),
    );
  },
  'Bodies that are not shown: GET /v1/risk_score data': async (world) => {
    const { data } = (await world.ask('/v1/risk_score', { coin: 'ETH', address: at.thief })).body;
    expect(data).toEqual({
      score: 97,
      hacking_event: 'Bridge Heist',
      detail_list: ['Malicious Address', 'Involved Theft Activity'],
      risk_level: 'Severe',
      coverage: 'full',
      // Beside the specification: a published client of the vendor reads it.
      level: 'high',
    });
  },
  'Bodies that are not shown: address_action items': async (world) => {
    const { received_txs } = (await world.ask('/v1/address_action', { coin: 'ETH', address: at.dealer })).body.data;
    const found = Object.fromEntries(received_txs.map(({ action, count }: { action: string; count: number }) => [action, count]));
    expect(found).toEqual({ Exchange: 2, DEX: 1, Bridge: 1, Mixer: 1, NFT: 1, Gambling: 1, Contract: 1, Transfer: 6 });
  },
  'Bodies that are not shown: address_overview data': async ({ service }) => {
    const found = await addressOverview(service.database.pool, { chain: 'ethereum', address: at.user, atMs: systemClock.now() });
    const time = (transfer: number): number => Date.UTC(2025, 0, 1) / 1_000 + transfer * 60;
    expect(overview.parse(found)).toEqual({
      balance: 0.75,
      txs_count: 5,
      first_seen: time(40),
      last_seen: time(44),
      total_received: 1,
      total_spent: 0.25,
      received_txs_count: 3,
      spent_txs_count: 2,
    });
  },
  'Bodies that are not shown: address_trace data': async (world) => {
    const { body } = await world.ask('/v1/address_trace', { coin: 'ETH', address: at.user });
    expect(trace.parse(body.data)).toMatchObject({
      first_address: 'Good Exchange',
      use_platform: {
        exchange: { count: 1, exchange_list: ['Good Exchange'] },
        dex: { count: 1, dex_list: ['Pool'] },
        mixer: { count: 0, mixer_list: [] },
      },
      malicious_event: { stealing: { count: 1, stealing_list: ['Bridge Heist'] }, phishing: { count: 0 } },
      relation_info: { wallet: { count: 0, wallet_list: [] } },
    });
  },
};
