import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKey, clientOf, data, low } from './answers.testing.ts';
import type { RiskClient } from './index.ts';
import { answer, json, type RudeServer, startRudeServer } from './rude-server.testing.ts';

let server: RudeServer;
beforeAll(async () => {
  server = await startRudeServer();
});
afterAll(() => server.close());

const of = { coin: 'ETH', address: '0x1' };
const success = (value: unknown): unknown => ({ success: true, msg: '', data: value });
const unit = { address: '0xaa', type: 3, tx_hash_list: ['0xbb'], amount: 1.5, label: 'Pool' };
const page = { in: [unit], out: [{ ...unit, type: '4', amount: '2', label: null }], page: 1, total_pages: '2', transactions_on_page: 2 };
const summary = { score: 80, risk_level: 'High', hacking_event: '', detail_list: ['Mixer'] };

const none = (name: string) => ({ count: 0, [`${name}_list`]: [] });
const profile = {
  first_address: 'Pool',
  use_platform: { exchange: none('exchange'), dex: none('dex'), mixer: none('mixer'), nft: none('nft') },
  malicious_event: { phishing: none('phishing'), ransom: none('ransom'), stealing: none('stealing'), laundering: none('laundering') },
  relation_info: { wallet: none('wallet'), ens: none('ens'), twitter: none('twitter') },
};
const hop = { txid: '0xbb', time: '2026-01-30T09:12:23.000Z', coin: 'ETH', amount: null, usd: null, traced: 4, from: '0xaa', to: '0x1' };
const terminal = {
  kind: 'service',
  entity: 'Pool',
  category: 'defi',
  address: '0xaa',
  addresses: 1,
  value: { fifo: 4 },
  hops: 1,
  method: 'fifo',
  path_value: 4,
  path: [hop],
};
const money = {
  direction: 'backward',
  unit: 'ETH',
  value: 4,
  transfers: 1,
  unvalued_transfers: 0,
  unlisted_transfers: 0,
  read: { addresses: 0, transfers: 1 },
  terminals: [terminal],
  others: { terminals: 0, value: { fifo: 0 } },
  not_followed: { addresses: 0, value: { fifo: 0 } },
  bound: { fifo: 0 },
};

interface Call {
  readonly path: string;
  readonly run: (client: RiskClient) => Promise<{ kind: string }>;
  readonly body: unknown;
  readonly answer: object;
}

const calls: Readonly<Record<string, Call>> = {
  addressLabels: {
    path: '/base/v1/address_labels?coin=ETH&address=0x1',
    run: (client) => client.addressLabels(of),
    body: success({ label_list: ['Pool', 'Defi'], label_type: 'defi' }),
    answer: { kind: 'labels', label_list: ['Pool', 'Defi'], label_type: 'defi' },
  },
  addressCounterparty: {
    path: '/base/v1/address_counterparty?coin=ETH&address=0x1',
    run: (client) => client.addressCounterparty(of),
    body: { success: true, msg: '', address_counterparty_list: [{ name: 'Pool', amount: '1.5', percent: 100 }] },
    answer: { kind: 'counterparties', address_counterparty_list: [{ name: 'Pool', amount: 1.5, percent: 100 }] },
  },
  addressAction: {
    path: '/base/v1/address_action?coin=ETH&address=0x1',
    run: (client) => client.addressAction(of),
    body: success({ received_txs: [{ action: 'DEX', count: 2, proportion: 99.5 }], spent_txs: [] }),
    answer: { kind: 'actions', received_txs: [{ action: 'DEX', count: 2, proportion: 99.5 }], spent_txs: [] },
  },
  addressTrace: {
    path: '/base/v1/address_trace?coin=ETH&address=0x1&unit=coin&direction=backward&method=fifo&start_timestamp=5&end_timestamp=9',
    run: (client) =>
      client.addressTrace({ ...of, unit: 'coin', direction: 'backward', method: 'fifo', startTimestamp: 5, endTimestamp: 9 }),
    body: success({ ...profile, trace: money }),
    answer: {
      kind: 'trace',
      trace: { ...profile, trace: { ...money, terminals: [{ ...terminal, path: [{ ...hop, coin_join: false }] }] } },
    },
  },
  transactionsInvestigation: {
    path: '/base/v1/transactions_investigation?coin=ETH&address=0x1&start_timestamp=5&end_timestamp=9&type=in&page=2',
    run: (client) => client.transactionsInvestigation({ ...of, startTimestamp: 5, endTimestamp: 9, type: 'in', page: 2 }),
    body: success(page),
    answer: {
      kind: 'transfers',
      in: [{ address: '0xaa', type: 'entity', tx_hash_list: ['0xbb'], amount: 1.5, label: 'Pool' }],
      out: [{ address: '0xaa', type: 'contract', tx_hash_list: ['0xbb'], amount: 2, label: '' }],
      page: 1,
      total_pages: 2,
      transactions_on_page: 2,
    },
  },
  scoreChanges: {
    path: '/base/v1/score_changes?after=c1&limit=2',
    run: (client) => client.scoreChanges({ after: 'c1', limit: 2 }),
    body: success({
      items: [
        { chain: 'ethereum', subject_type: 'address', subject: '0x1', direction: 'deposit', changed_at: 7 },
        { chain: 'bitcoin', subject_type: 'txid', subject: 'ab', direction: 'withdraw', changed_at: '8' },
      ],
      next_cursor: 'c2',
      more: true,
    }),
    answer: {
      kind: 'changes',
      items: [
        { chain: 'ethereum', subject_type: 'address', subject: '0x1', direction: 'deposit', changed_at: 7 },
        { chain: 'bitcoin', subject_type: 'txid', subject: 'ab', direction: 'withdraw', changed_at: 8 },
      ],
      next_cursor: 'c2',
      more: true,
    },
  },
  riskScoreV1: {
    path: '/base/v1/risk_score?coin=ETH&address=0x1',
    run: (client) => client.riskScoreV1(of),
    body: success(summary),
    answer: {
      kind: 'scored',
      result: { score: 80, risk_level: 'High', hacking_event: '', detail_list: ['Mixer'], scanned_ts: null, coverage: null },
    },
  },
  riskScoreV2: {
    path: '/base/v2/risk_score?coin=ETH&txid=0x2',
    run: (client) => client.riskScoreV2({ coin: 'ETH', txid: '0x2', direction: 'deposit' }),
    body: success({ ...data, address_label: undefined }),
    answer: { kind: 'scored', result: { score: 80, address_label: '' } },
  },
  createTaskV2: {
    path: '/base/v2/risk_score_create_task',
    run: (client) => client.createTaskV2(of),
    body: success({ has_result: true, scanned_ts: 7 }),
    answer: { kind: 'started', has_result: true, scanned_ts: 7 },
  },
  queryTaskV2: {
    path: '/base/v2/risk_score_query_task?coin=ETH&address=0x1',
    run: (client) => client.queryTaskV2(of),
    body: { success: true, msg: 'TaskUnderRunning', data: {} },
    answer: { kind: 'running' },
  },
  targets: {
    path: '/base/targets',
    run: (client) => client.targets(),
    body: { targets: [{ coin: 'TRX', txid: 'ab', risk_level: 'Low', score: 3 }] },
    answer: { kind: 'targets', targets: [{ coin: 'TRX', txid: 'ab', risk_level: 'Low', score: 3 }] },
  },
};

// A call about receivers does not compile where the API answers about senders; the compiler checks that this is an error.
// @ts-expect-error -- no direction but the default
void ((client: RiskClient, side: 'deposit' | 'withdraw') => client.riskScoreV2({ coin: 'ETH', txid: '0x2', direction: side }));

describe.each(Object.entries(calls))('%s', (name, call) => {
  test('asks for its page and reads its answer', async () => {
    server.behave(json(call.body));
    expect(await call.run(clientOf(server, { keyIn: 'header' }))).toMatchObject(call.answer);
    const [seen] = server.seen;
    expect(`${seen?.url.pathname}${seen?.url.search}`).toBe(call.path);
    expect(seen?.key).toBe(name === 'targets' ? undefined : apiKey);
    if (name === 'createTaskV2') expect(JSON.parse(seen?.body ?? '')).toEqual(of);
  });

  test('names refusals, and what it cannot read', async () => {
    const ask = (behaviour: Parameters<RudeServer['behave']>[0]): Promise<object> => {
      server.behave(behaviour);
      return call.run(clientOf(server));
    };
    expect(await ask(json({ success: false, msg: 'InvalidAddress', data: {} }, 400))).toEqual({ kind: 'invalid', code: 'InvalidAddress' });
    expect(await ask(json({ success: false, msg: 'ExceededRateLimit', retry_after: 2 }, 429))).toMatchObject({
      kind: 'limited',
      retryAfterMs: 2_000,
    });
    expect(await ask(json(call.body, 503))).toEqual({ kind: 'unavailable', reason: 'HTTP_STATUS', detail: 'HTTP 503' });
    expect(await ask(answer(200, '<html>', { 'content-type': 'text/html' }))).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
    expect(await ask(json({ success: true, msg: 'Perhaps', data: {} }))).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
    if (name !== 'createTaskV2') expect(await ask(json(success({})))).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
  });
});

test('the key of the specification is not sent for what needs none', async () => {
  server.behave(json(calls['targets']?.body));
  await clientOf(server, { keyIn: 'spec' }).targets();
  expect(server.seen[0]?.url.search).toBe('');
});

describe('a v1 score is no level when', () => {
  const odd: [string, object, string][] = [
    ['it contradicts itself', { ...summary, score: 3 }, 'score and risk_level contradict each other'],
    ['its details are missing', { ...summary, detail_list: undefined }, 'data.detail_list is missing or not understood'],
    ['it is Low and sanctioned', { ...low, detail_list: ['Sanctioned Entity'] }, 'detail_list contradicts risk_level'],
    ['nothing is known, and yet something', { ...summary, coverage: 'none' }, 'coverage none contradicts the rest'],
  ];
  test.each(odd)('%s', async (_, value, detail) => {
    server.behave(json(success(value)));
    expect(await clientOf(server).riskScoreV1(of)).toEqual({ kind: 'unavailable', reason: 'UNREADABLE', detail });
  });

  test('but nothing known is told apart', async () => {
    server.behave(json(success({ ...low, coverage: 'none' })));
    expect(await clientOf(server).riskScoreV1(of)).toMatchObject({ kind: 'no_data', result: { score: 3 } });
  });
});

describe('numbers and names of an analysis', () => {
  const odd: [string, object, (client: RiskClient) => Promise<object>, string][] = [
    [
      'a type that is none',
      { ...page, in: [{ ...unit, type: 5 }] },
      (client) => client.transactionsInvestigation(of),
      'data.in.0.type is missing or not understood',
    ],
    [
      'an amount in words',
      { ...page, in: [{ ...unit, amount: 'much' }] },
      (client) => client.transactionsInvestigation(of),
      'data.in.0.amount is missing or not understood',
    ],
    [
      'a label type that is none',
      { label_list: [], label_type: 'bank' },
      (client) => client.addressLabels(of),
      'data.label_type is missing or not understood',
    ],
    [
      'a name with NUL',
      { label_list: ['a\0'], label_type: '' },
      (client) => client.addressLabels(of),
      'data.label_list.0 is missing or not understood',
    ],
  ];
  test.each(odd)('%s is not understood', async (_, value, run, detail) => {
    server.behave(json(success(value)));
    expect(await run(clientOf(server))).toEqual({ kind: 'unavailable', reason: 'UNREADABLE', detail });
  });
});
