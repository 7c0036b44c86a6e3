import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeRiskProvider } from '../behaviour.ts';
import { ellipticProvider, type Question, type RiskProvider } from '../index.ts';
import { simulateElliptic, type SimulatedApi } from '../testing/index.ts';
import { signatureOf } from './sign.ts';

const apiKey = 'key-of-elliptic';
const apiSecret = Buffer.from('secret of elliptic').toString('base64');
const limits = { perSecond: 8, perDay: 10_000 };
let count = 0;

const open = (api: SimulatedApi, timeoutMs = 5_000): RiskProvider =>
  ellipticProvider({ baseUrl: api.url, apiKey, apiSecret, clock: systemClock, timeoutMs }, limits);

function address(): Question {
  const subject = `0x${String(++count).padStart(40, '0')}`;
  return { chain: 'ethereum', coin: 'ETH', subject_type: 'address', subject, direction: 'withdraw', facts: {} };
}

function transaction(): Question {
  const subject = `0x${String(++count).padStart(64, '0')}`;
  const facts = { to_address: '0x28c6c06298d514db089934071355e5743bf21d60' };
  return { chain: 'ethereum', coin: 'ETH', subject_type: 'txid', subject, direction: 'deposit', facts };
}

for (const [name, question] of [
  ['wallets', address],
  ['transactions', transaction],
] as const)
  describeRiskProvider(`Elliptic AML, ${name}`, async () => {
    const api = await simulateElliptic({ apiKey, apiSecret });
    return {
      api,
      secrets: [apiKey, apiSecret],
      open: ({ timeoutMs }) => open(api, timeoutMs),
      question: ({ unknownCoin = false } = {}) => ({ ...question(), ...(unknownCoin && { chain: 'iotex', coin: 'IOTX' }) }),
    };
  });

describe('Elliptic AML', () => {
  let api: SimulatedApi;
  let provider: RiskProvider;
  beforeEach(async () => {
    api = await simulateElliptic({ apiKey, apiSecret });
    provider = open(api);
  });
  afterEach(() => api.close());

  // From the public description.
  test('signs as the public examples do', () => {
    const secret = '894f142d667e8cdaca6822ac173937af';
    const body =
      '[{"customer_reference":"123456","subject":{"asset":"BTC","hash":"accf5c09cc027339a3beb2e28104ce9f406ecbbd29775b4a1a17ba213f1e035e","output_address":"15Hm2UEPaEuiAmgyNgd5mF3wugqLsYs3Wn","output_type":"address","type":"transaction"},"type":"source_of_funds"}]';
    const at = 1_478_692_862_000;
    expect(signatureOf(secret, { at, method: 'POST', path: '/v2/analyses', body })).toBe('65mQHB2o95lL3I+N/bZYwDC9p2YvNwsVDnXr8u72hUk=');
    expect(signatureOf(secret, { at, method: 'GET', path: '/v2/customers', body: '' })).toBe(
      'cN9fRUqeT7UnwwpkBZaNmnwxKAPHkhytdXelfUVvxMI=',
    );
  });

  test('a wrong secret is refused, and the answer says so without it', async () => {
    const wrong = ellipticProvider({ baseUrl: api.url, apiKey, apiSecret: 'd3Jvbmc=', clock: systemClock }, limits);
    expect(await wrong.ask(address())).toEqual({ kind: 'rejected', status: 401, code: 'InvalidApiKey' });
  });

  test('a clock that is an hour off is refused like a wrong key, and gives no level', async () => {
    const behind = { ...systemClock, now: () => systemClock.now() - 3_600_000 };
    const skewed = ellipticProvider({ baseUrl: api.url, apiKey, apiSecret, clock: behind }, limits);
    expect(await skewed.ask(address())).toMatchObject({ kind: 'rejected', status: 401 });
  });

  test('asks about an address as a wallet, and about a transaction by its output address', async () => {
    const [wallet, deposit] = [address(), transaction()];
    expect([provider.needs(wallet), provider.needs(deposit)]).toEqual([[], ['to_address']]);
    await provider.ask(wallet);
    await provider.ask(deposit);
    expect(api.received.map(({ path }) => path)).toEqual(['/v2/wallet/synchronous', '/v2/analyses/synchronous']);
    const [first, second] = api.received.map(({ body }) => JSON.parse(body));
    expect(first).toEqual({
      subject: { asset: 'holistic', blockchain: 'holistic', type: 'address', hash: wallet.subject },
      type: 'wallet_exposure',
      customer_reference: 'weir',
    });
    expect(second).toMatchObject({
      subject: { type: 'transaction', hash: deposit.subject, output_type: 'address', output_address: deposit.facts.to_address },
      type: 'source_of_funds',
    });
  });

  const analysis = (over: object): string =>
    JSON.stringify({
      id: 'a',
      type: 'wallet_exposure',
      process_status: 'complete',
      risk_score: null,
      evaluation_detail: { source: [], destination: [] },
      contributions: { source: [], destination: [] },
      cluster_entities: [],
      ...over,
    });
  const mixer = { category: 'Mixer', contributions: [{ entity: 'a mixer', min_number_of_hops: 4, indirect_value: { usd: 50 } }] };

  test('the score is ten times theirs, rounded up, and never below that of a triggered rule', () => {
    const rules = (score: number) => ({ source: [{ risk_score: score, matched_elements: [mixer] }], destination: [] });
    for (const [risk_score, rule, score, risk_level] of [
      [0, 0, 3, 'Low'],
      [3, 3, 30, 'Low'],
      [3.01, 3.01, 31, 'Moderate'],
      [7.01, 1, 71, 'High'],
      [1, 9.01, 91, 'Severe'],
      [10, 10, 100, 'Severe'],
    ] as const)
      expect(provider.explain(analysis({ risk_score, evaluation_detail: rules(rule) }))).toMatchObject({ result: { score, risk_level } });
  });

  test('a rule that names an entity gives its exposure', () => {
    const evaluation_detail = { source: [], destination: [{ risk_score: 6, matched_elements: [mixer] }] };
    expect(provider.explain(analysis({ risk_score: 6, evaluation_detail }))).toMatchObject({
      result: {
        risk_detail: [{ entity: 'a mixer', risk_type: 'mixer', exposure_type: 'indirect', hop_num: 4, volume_usd: 50, side: 'out' }],
      },
    });
  });

  test('no rule and no entity is NO_DATA; no rule and known entities is Low', () => {
    expect(provider.explain(analysis({}))).toMatchObject({ result: { coverage: 'none' } });
    const contributions = { source: [{ entities: [{ name: 'an exchange', category: 'Exchange' }] }], destination: [] };
    expect(provider.explain(analysis({ contributions }))).toMatchObject({ result: { coverage: null, risk_level: 'Low', score: 3 } });
  });

  test.each([
    ['triggered rules without a score', { evaluation_detail: { source: [{ risk_score: 5, matched_elements: [mixer] }], destination: [] } }],
    ['a score without triggered rules', { risk_score: 5 }],
    ['an unknown category of an entity', { contributions: { source: [{ entities: [{ category: 'New' }] }], destination: [] } }],
    ['a failed analysis', { process_status: 'error', error: { message: 'something went wrong' } }],
  ])('%s is unreadable', (_, over) => {
    expect(provider.explain(analysis(over))).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
  });

  describe('without a rule on sanctions', () => {
    const listed = { name: 'listed', category: 'OFAC Sanctioned Entity', is_primary_entity: true, is_vasp: false };
    const from = (over: object, entity: object = listed) => ({
      contribution_percentage: 2,
      contribution_value: { usd: 40 },
      counterparty_value: { usd: 40 },
      indirect_value: { usd: 0 },
      is_screened_address: false,
      min_number_of_hops: 1,
      entities: [entity],
      ...over,
    });
    const direct = { entity: 'listed', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 };
    const high = { score: 71, risk_level: 'High', detail_list: ['Sanctioned Entity'] };

    // The policy blocks what was sent, and reviews what was received below its limits.
    test.each([
      ['received from it', { source: [from({})], destination: [] }, [{ ...direct, side: 'in', volume_usd: 40 }]],
      ['sent to it', { source: [], destination: [from({})] }, [{ ...direct, side: 'out', volume_usd: 40 }]],
      [
        'received at hop 0',
        { source: [from({ min_number_of_hops: 0, counterparty_value: null })], destination: [] },
        [{ ...direct, side: 'in', volume_usd: null }],
      ],
      [
        'its own address',
        { source: [from({ is_screened_address: true })], destination: [] },
        [{ ...direct, side: null, volume_usd: null }],
      ],
      [
        'an entity that is sanctioned beside its category',
        { source: [], destination: [from({}, { name: 'listed', category: 'Exchange', risk_triggers: { is_sanctioned: true } })] },
        [{ ...direct, side: 'out', volume_usd: 40 }],
      ],
    ])('a sanctioned contribution is a direct exposure, and High: %s', (_, contributions, risk_detail) => {
      expect(provider.explain(analysis({ contributions }))).toMatchObject({ result: { ...high, risk_detail } });
    });

    test('a sanctioned subject is High', () => {
      expect(provider.explain(analysis({ cluster_entities: [listed] }))).toMatchObject({
        result: { ...high, risk_detail: [{ ...direct, side: null }] },
      });
    });

    test('a sanctioned contribution behind other hops is listed and raises no level', () => {
      const far = from({ min_number_of_hops: 4, counterparty_value: { usd: 0 }, indirect_value: { usd: 900 } });
      expect(provider.explain(analysis({ contributions: { source: [far], destination: [] } }))).toMatchObject({
        result: { risk_level: 'Low', risk_detail: [{ exposure_type: 'indirect', hop_num: 4, side: 'in', volume_usd: 900 }] },
      });
    });

    test('the side of a transaction is that of its analysis', () => {
      const sent = analysis({ type: 'destination_of_funds', evaluation_detail: [], contributions: [from({})] });
      expect(provider.explain(sent)).toMatchObject({ result: { ...high, risk_detail: [{ ...direct, side: 'out' }] } });
    });

    test('an entity that a rule names is counted once, and a higher score of the rule stays', () => {
      const matched = {
        category: listed.category,
        contributions: [{ entity: 'listed', counterparty_value: { usd: 40 }, min_number_of_hops: 1 }],
      };
      const evaluation_detail = { source: [{ risk_score: 9.5, matched_elements: [matched] }], destination: [] };
      const answer = provider.explain(
        analysis({ risk_score: 9.5, evaluation_detail, contributions: { source: [from({})], destination: [] } }),
      );
      expect(answer).toMatchObject({
        result: { risk_level: 'Severe', score: 95, risk_detail: [{ ...direct, side: 'in', volume_usd: 40 }] },
      });
    });
  });
});
