import { detailOrder, riskTypes } from '@weir/risk-engine';
import { expect, vi } from 'vitest';
import { sandboxTargets } from '../surfaces/sandbox/targets.ts';
import { resultOf } from '../testing/instance.ts';
import { at, busyTransfers, type Case, type Cases, contract, tx, type World } from './world.ts';

const v2 = async (world: World, address: string) => (await world.ask('/v2/risk_score', { coin: 'ETH', address })).body.data;
const pathTo = { coin: 'ETH', address: at.busy };
const investigation = async (world: World, query: Record<string, string> = {}) =>
  (await world.ask('/v1/transactions_investigation', { ...pathTo, ...query })).body.data;
const counterparties = async (world: World) =>
  (await world.ask('/v1/address_counterparty', { coin: 'ETH', address: at.user })).body.address_counterparty_list;

const band =
  (level: string, least: number, most: number): Case =>
  async (world) => {
    for (const { address, txid, coin, score, risk_level } of sandboxTargets) {
      if (risk_level !== level) continue;
      const { body } = await world.ask('/sandbox/v3/risk_score', { coin, ...(address === undefined ? { txid: txid ?? '' } : { address }) });
      expect(body.data).toMatchObject({ risk_level: level, score });
      expect(body.data.score).toBeGreaterThanOrEqual(least);
      expect(body.data.score).toBeLessThanOrEqual(most);
    }
    const reached = { Severe: at.thief, High: at.mixer, Moderate: at.casino, Low: at.exchange }[level];
    const own = await world.score({ address: reached ?? '' });
    expect(own.risk_level).toBe(level);
    expect(own.score).toBeGreaterThanOrEqual(least);
    expect(own.score).toBeLessThanOrEqual(most);
  };

export const resultCases: Cases = {
  'Resources and their fields: success': async (world) => {
    expect((await world.ask('/v1/address_labels', { coin: 'ETH', address: at.thief })).body.success).toBe(true);
    expect((await world.ask('/v1/address_labels', { coin: 'ETH' })).body.success).toBe(false);
  },
  'Resources and their fields: msg': async (world) => {
    expect((await world.ask('/v1/address_labels', { coin: 'ETH', address: at.thief })).body.msg).toBe('');
    expect((await world.ask('/v1/address_labels', { coin: 'NONE', address: at.thief })).body.msg).toBe('UnsupportedToken');
    expect((await world.ask('/v3/risk_score_query_task', { task_id: 'none' })).body.msg).toBe('TaskNotFound');
  },
  'Resources and their fields: data': async (world) => {
    expect((await world.ask('/v1/address_labels', { coin: 'ETH', address: at.thief })).body.data).toEqual(expect.any(Object));
    expect((await world.ask('/v1/address_labels')).body.data).toEqual({});
  },

  'Risk score result (data): score': async (world) => {
    for (const address of Object.values(at)) {
      const { score } = await v2(world, address);
      expect(Number.isInteger(score) && score >= 3 && score <= 100).toBe(true);
    }
  },
  'Risk score result (data): hacking_event': async (world) => {
    expect((await v2(world, at.user)).hacking_event).toBe('Bridge Heist');
    expect((await v2(world, at.casino)).hacking_event).toBe('');
  },
  'Risk score result (data): detail_list': async (world) =>
    expect((await v2(world, at.mixer)).detail_list).toEqual(['Mixer', 'High-risk Tag Address']),
  'Risk score result (data): risk_level': async (world) => expect((await v2(world, at.thief)).risk_level).toBe('Severe'),
  'Risk score result (data): risk_detail': async (world) =>
    expect((await v2(world, at.user)).risk_detail).toEqual([expect.objectContaining({ entity: 'Bridge Heist' })]),
  'Risk score result (data): address_label': async (world) => {
    expect((await world.score({ address: at.exchange })).address_label).toBe('Good Exchange');
    expect((await world.score({ address: at.peer })).address_label).toBe('');
    expect((await world.score({ txid: tx(60) })).address_label).toBe('Blender');
    expect((await world.score({ txid: tx(60), direction: 'withdraw' })).address_label).toBe('Good Exchange');
    expect(await v2(world, at.exchange)).not.toHaveProperty('address_label');
  },
  'Risk score result (data): risk_report_url': async (world) => {
    const target = { coin: 'ETH', address: sandboxTargets[0]?.address ?? '' };
    const urls = [
      (await v2(world, at.thief)).risk_report_url,
      (await world.score({ address: at.thief })).risk_report_url,
      (await world.ask('/sandbox/v3/risk_score', target)).body.data.risk_report_url,
    ];
    for (const url of urls) {
      expect(url.startsWith(`${world.instance.url}/v1/risk_report?`)).toBe(true);
      expect(new URL(url).searchParams.get('access_token')).toMatch(/\S{20}/);
    }
    // On a busy machine a report may exceed its time limit, and a client retries.
    await vi.waitFor(async () => expect((await fetch(urls[0])).headers.get('content-type')).toBe('application/pdf'));
  },

  'risk_detail item: entity': async (world) => expect((await v2(world, at.user)).risk_detail[0].entity).toBe('Bridge Heist'),
  'risk_detail item: risk_type': async (world) => {
    const { risk_detail } = await v2(world, at.dealer);
    const types = new Set(risk_detail.map((line: { risk_type: string }) => line.risk_type));
    expect(types).toEqual(new Set(riskTypes));
  },
  'risk_detail item: exposure_type': async (world) => {
    expect((await v2(world, at.user)).risk_detail[0].exposure_type).toBe('direct');
    expect((await v2(world, at.far)).risk_detail[0].exposure_type).toBe('indirect');
  },
  'risk_detail item: hop_num': async (world) => {
    expect((await v2(world, at.user)).risk_detail[0].hop_num).toBe(1);
    expect((await v2(world, at.far)).risk_detail[0].hop_num).toBe(2);
  },
  'risk_detail item: volume': async (world) => expect((await v2(world, at.user)).risk_detail[0].volume).toBe(100),
  'risk_detail item: percent': async (world) => expect((await v2(world, at.user)).risk_detail[0].percent).toBe(5),
  'risk_detail item: hop_dic': async (world) => {
    const [line] = (await world.score({ address: at.far })).risk_detail;
    expect(line.hop_dic).toEqual({ '1': [at.friend], '2': ['Bridge Heist'] });
    expect((await v2(world, at.far)).risk_detail[0]).not.toHaveProperty('hop_dic');
  },

  'Risk level bands: Severe': band('Severe', 91, 100),
  'Risk level bands: High': band('High', 71, 90),
  'Risk level bands: Moderate': band('Moderate', 31, 70),
  'Risk level bands: Low': band('Low', 0, 30),

  'Address labels result (data): label_list': async (world) =>
    expect((await world.ask('/v1/address_labels', { coin: 'ETH', address: at.exchange })).body.data.label_list).toEqual([
      'Good Exchange',
      'Exchange',
    ]),
  'Address labels result (data): label_type': async (world) => {
    const types = {
      exchange: 'exchange',
      dex: 'defi',
      bridge: 'defi',
      mixer: 'mixer',
      shady: 'mixer',
      gallery: 'nft',
      thief: '',
      peer: '',
    } as const;
    for (const [name, type] of Object.entries(types)) {
      const { body } = await world.ask('/v1/address_labels', { coin: 'ETH', address: at[name as keyof typeof types] });
      expect([name, body.data.label_type]).toEqual([name, type]);
    }
  },

  'Transactions investigation result (data): in': async (world) =>
    expect((await investigation(world)).in[0].tx_hash_list).toHaveLength(500),
  'Transactions investigation result (data): out': async (world) =>
    expect((await investigation(world)).out[0].tx_hash_list).toHaveLength(500),
  'Transactions investigation result (data): page': async (world) => expect((await investigation(world, { page: '2' })).page).toBe(2),
  'Transactions investigation result (data): total_pages': async (world) =>
    expect((await investigation(world)).total_pages).toBe(Math.ceil(busyTransfers / 1_000)),
  'Transactions investigation result (data): transactions_on_page': async (world) => {
    const counts = [];
    for (const page of ['1', '2', '3', '4']) counts.push((await investigation(world, { page })).transactions_on_page);
    expect(counts).toEqual([1_000, 1_000, busyTransfers - 2_000, 0]);
  },
  'Transactions investigation result (data): address': async (world) =>
    expect((await investigation(world)).in.map((unit: { address: string }) => unit.address)).toEqual([at.peer]),
  'Transactions investigation result (data): type': async (world) => {
    const of = async (coin: string) => (await world.ask('/v1/transactions_investigation', { coin, address: at.user })).body.data;
    const { in: received, out } = await of('ETH');
    const types = Object.fromEntries([...received, ...out].map(({ address, type }) => [address, type]));
    expect(types).toEqual({ [at.peer]: 1, [at.thief]: 2, [at.exchange]: 3, [at.dex]: 3 });
    expect((await of('USDT-ERC20')).out).toMatchObject([{ address: contract, type: 4 }]);
  },
  'Transactions investigation result (data): tx_hash_list': async (world) =>
    expect((await investigation(world)).in[0].tx_hash_list[0]).toBe(tx(1_000 + busyTransfers - 2)),
  'Transactions investigation result (data): amount': async (world) => expect((await investigation(world)).in[0].amount).toBe(5),
  'Transactions investigation result (data): label': async (world) => {
    const { in: received } = (await world.ask('/v1/transactions_investigation', { coin: 'ETH', address: at.user, type: 'in' })).body.data;
    expect(received.map(({ label }: { label: string }) => label)).toEqual(['Bridge Heist', '', 'Good Exchange']);
  },

  'Address counterparty result: name': async (world) =>
    expect((await counterparties(world)).map(({ name }: { name: string }) => name)).toEqual([
      'Good Exchange',
      'Pool',
      'Bridge Heist',
      'Unknown',
    ]),
  'Address counterparty result: amount': async (world) =>
    expect((await counterparties(world)).map(({ amount }: { amount: number }) => amount)).toEqual([600, 250, 100, 1_050]),
  'Address counterparty result: percent': async (world) =>
    expect((await counterparties(world)).map(({ percent }: { percent: number }) => percent)).toEqual([30, 12.5, 5, 52.5]),

  'Address action result: received_txs': async (world) => {
    const { received_txs } = (await world.ask('/v1/address_action', { coin: 'ETH', address: at.user })).body.data;
    expect(received_txs).toEqual([
      { action: 'Exchange', count: 1, proportion: 60 },
      { action: 'Transfer', count: 2, proportion: 40 },
    ]);
  },
  'Address action result: spent_txs': async (world) =>
    expect((await world.ask('/v1/address_action', { coin: 'ETH', address: at.user })).body.data.spent_txs.at(-1)).toEqual({
      action: 'DEX',
      count: 1,
      proportion: 25,
    }),

  'extra: every description of detail_list can be reached': async (world) => {
    const reached = new Set<string>();
    for (const address of Object.values(at)) for (const detail of (await v2(world, address)).detail_list) reached.add(detail);
    // Only details of one kind can be reached with one labelled counterparty each.
    expect(detailOrder.filter((detail) => !reached.has(detail))).toEqual([]);
  },
  'extra: the result does not depend on the coin within a chain': async (world) => {
    const { body } = await world.send('/v3/risk_score_create_task', { coin: 'USDT-ERC20', address: at.user });
    expect((await resultOf(world.instance.url, world.key, body.data.task_id)).data.score).toBe(
      (await world.score({ address: at.user })).score,
    );
  },
};
