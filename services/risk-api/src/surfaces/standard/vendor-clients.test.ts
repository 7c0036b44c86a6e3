import { address, label, transfer, txid } from '@weir/chain-store/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLabels, loadTransfers } from '../../index.ts';
import { standardKey } from '../../testing/calls.ts';
import { get, type Instance, post, startInstance, type TestService } from '../../testing/instance.ts';

/**
 * The requests of the vendor's published clients, with the parameters and in the places that they use, and the fields that they read:
 * misttrack-skills (risk_check.py, address_investigation.py, batch_risk_check.py) and MistTrackMCP 1.0.7 (misttrackClient.ts and tools).
 */
let service: TestService;
let instance: Instance;
let api_key: string;
const [thief, user] = [address(101), address(102)];
beforeAll(async () => {
  const started = await startInstance({ keys: { standard: standardKey } });
  ({ service, instance } = started);
  api_key = started.keys.standard;
  await loadLabels(service.database.pool, [{ ...label, address: thief, category: 'theft', name: 'Heist', confidence: 1 }]);
  await loadTransfers(service.database.pool, [{ ...transfer, txid: txid(1), from_address: thief, to_address: user }]);
});
afterAll(() => service.stop());

const asks = async (path: string, query: Record<string, string>) => {
  const { status, body } = await get(`${instance.url}/${path}`, { ...query, api_key });
  expect([status, body.success, body.msg]).toEqual([200, true, '']);
  return body;
};
const eth = { coin: 'ETH', address: user };

it('each call beside the specification is described as an addition', async () => {
  const { paths } = (await get(`${instance.url}/openapi.json`)).body;
  for (const path of ['/v3/risk_score', '/v1/address_overview', '/v1/address_trace', '/v1/status'])
    expect([path, paths[path].get.description]).toEqual([path, expect.stringMatching(/^Addition: /)]);
});

describe('misttrack-skills', () => {
  it('risk_check.py: v3/risk_score of an address, and of a transaction with its direction', async () => {
    const score = {
      score: expect.any(Number),
      risk_level: 'Severe',
      hacking_event: 'Heist',
      detail_list: expect.any(Array),
      address_label: 'Heist',
      risk_report_url: expect.stringContaining('http'),
    };
    expect((await asks('v3/risk_score', { coin: 'ETH', address: thief })).data).toMatchObject(score);
    for (const direction of ['deposit', 'withdraw']) {
      const { data } = await asks('v3/risk_score', { coin: 'ETH', txid: txid(1), direction });
      expect(data.risk_detail[0]).toMatchObject({
        entity: 'Heist',
        risk_type: expect.any(String),
        exposure_type: 'direct',
        hop_num: expect.any(Number),
        volume: expect.any(Number),
        percent: expect.any(Number),
      });
    }
    expect((await asks('v1/address_labels', { coin: 'ETH', address: thief })).data).toMatchObject({
      label_list: expect.any(Array),
      label_type: '',
    });
  });

  it('address_investigation.py: six calls', async () => {
    const numbers = ['balance', 'txs_count', 'total_received', 'total_spent', 'first_seen', 'last_seen'];
    const overview = (await asks('v1/address_overview', eth)).data;
    expect(overview).toMatchObject(Object.fromEntries(numbers.map((name) => [name, expect.any(Number)])));
    const { use_platform, malicious_event, relation_info, first_address } = (await asks('v1/address_trace', eth)).data;
    expect(first_address).toEqual(expect.any(String));
    for (const [group, kinds] of [
      [use_platform, ['exchange', 'dex', 'mixer', 'nft']],
      [malicious_event, ['phishing', 'ransom', 'stealing', 'laundering']],
      [relation_info, ['wallet', 'ens', 'twitter']],
    ] as const) {
      for (const kind of kinds) expect(group[kind]).toEqual({ count: expect.any(Number), [`${kind}_list`]: expect.any(Array) });
    }
    expect((await asks('v2/risk_score', eth)).data.risk_detail).toEqual(expect.any(Array));
    const page = (await asks('v1/transactions_investigation', { ...eth, page: '1' })).data;
    expect(page).toMatchObject({ total_pages: 1, in: [{ type: 2, amount: expect.any(Number), label: 'Heist' }], out: [] });
    const { address_counterparty_list } = await asks('v1/address_counterparty', eth);
    expect(address_counterparty_list).toMatchObject([{ name: 'Heist', amount: expect.any(Number), percent: 100 }]);
  });

  it('batch_risk_check.py: a task of v2, created with the key in the body and queried by its target', async () => {
    const created = await post(`${instance.url}/v2/risk_score_create_task`, { ...eth, api_key });
    expect(created).toMatchObject({ status: 200, body: { success: true, data: { has_result: expect.any(Boolean) } } });
    await expect
      .poll(async () => (await asks('v2/risk_score_query_task', eth).catch(() => undefined))?.data.score)
      .toEqual(expect.any(Number));
  });
});

describe('MistTrackMCP', () => {
  it('/v1/status takes no key, and lists every coin that is read', async () => {
    const { status, body } = await get(`${instance.url}/v1/status`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, msg: '', data: { support_api: expect.arrayContaining(['status', 'address_trace']) } });
    expect(body.data.support_coin).toEqual(expect.arrayContaining(['ETH', 'USDT-ERC20', 'BTC', 'TRX', 'USDT-TRC20', 'SOL', 'TON']));
    expect(body.data.support_network).toEqual(expect.arrayContaining(['ethereum', 'solana']));
  });

  it('reads actions from action_dic, and sends a content type with GET', async () => {
    const query = new URLSearchParams({ ...eth, api_key }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = (await (await fetch(`${instance.url}/v1/address_action?${query}`, { headers })).json()) as {
      data: object;
      action_dic: object;
    };
    expect(answer.action_dic).toMatchObject({ received_txs: [{ action: 'Transfer', count: 1, proportion: 100 }], spent_txs: [] });
    expect(answer.action_dic).toEqual(answer.data);
  });

  it('sends the coins in the spelling of the vendor', async () => {
    for (const coin of ['POL-Polygon', 'ETH-Arbitrum', 'USDT-ERC20', 'ETH-zkSync'])
      await asks('v1/address_overview', { coin, address: user });
  });
});
