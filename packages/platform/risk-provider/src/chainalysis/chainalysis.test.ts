import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeRiskProvider } from '../behaviour.ts';
import { chainalysisProvider, type Question, type RiskProvider } from '../index.ts';
import { simulateChainalysis, type SimulatedApi } from '../testing/index.ts';

const apiKey = 'token-of-kyt';
const limits = { perSecond: 10, perDay: 10_000 };
const receiver = '1H7aVb2RZiBmdbnzazQgVj2hWR3eEZPg6v';
const occurred_at = Date.UTC(2026, 0, 31, 12);
let count = 0;

const open = (api: SimulatedApi, timeoutMs = 5_000): RiskProvider =>
  chainalysisProvider({ baseUrl: api.url, apiKey, clock: systemClock, timeoutMs }, limits);

function deposit(): Question {
  const subject = String(++count).padStart(64, '0');
  return {
    chain: 'bitcoin',
    coin: 'BTC',
    subject_type: 'txid',
    subject,
    direction: 'deposit',
    facts: { user: 'u 1', to_address: receiver },
  };
}

function withdrawal(): Question {
  const subject = `0x${String(++count).padStart(40, '0')}`;
  const facts = { user: 'u/1', attempt: `attempt-${count}`, amount: '1.5', occurred_at };
  return { chain: 'ethereum', coin: 'USDT-ERC20', subject_type: 'address', subject, direction: 'withdraw', facts };
}

for (const [name, question] of [
  ['transfers', deposit],
  ['withdrawal attempts', withdrawal],
] as const)
  describeRiskProvider(`Chainalysis KYT, ${name}`, async () => {
    const api = await simulateChainalysis({ apiKey });
    return {
      api,
      secrets: [apiKey],
      open: ({ timeoutMs }) => open(api, timeoutMs),
      question: ({ unknownCoin = false } = {}) => ({ ...question(), ...(unknownCoin && { chain: 'iotex', coin: 'IOTX' }) }),
    };
  });

describe('Chainalysis KYT', () => {
  let api: SimulatedApi;
  let provider: RiskProvider;
  beforeEach(async () => {
    api = await simulateChainalysis({ apiKey });
    provider = open(api);
  });
  afterEach(() => api.close());

  test('registers a deposit as a received transfer to the output address', async () => {
    const question = deposit();
    expect(provider.needs(question)).toEqual(['user', 'to_address']);
    expect(await provider.ask(question)).toMatchObject({ kind: 'created', has_result: false });
    expect(api.received[0]).toMatchObject({ method: 'POST', path: '/api/kyt/v2/users/u%201/transfers' });
    expect(api.received[0]?.headers).toMatchObject({ token: apiKey });
    const body = { network: 'Bitcoin', asset: 'BTC', transferReference: `${question.subject}:${receiver}`, direction: 'received' };
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual(body);
  });

  test('registers a withdrawal as an attempt', async () => {
    const question = withdrawal();
    expect(provider.needs(question)).toEqual(['user', 'attempt', 'amount', 'occurred_at']);
    expect(await provider.ask(question)).toMatchObject({ kind: 'created' });
    expect(api.received[0]).toMatchObject({ path: '/api/kyt/v2/users/u%2F1/withdrawal-attempts' });
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual({
      network: 'Ethereum',
      asset: 'USDT',
      address: question.subject,
      attemptIdentifier: `attempt-${count}`,
      assetAmount: 1.5,
      attemptTimestamp: '2026-01-31T12:00:00.000Z',
    });
  });

  test('does not ask about the sender of a deposit, which KYT cannot assess', async () => {
    expect(await provider.ask({ ...withdrawal(), direction: 'deposit' })).toEqual({ kind: 'invalid', code: 'TransactionNeeded' });
    expect(api.received).toEqual([]);
  });

  const evidence = (alerts: unknown[], direct: unknown = null): string =>
    JSON.stringify({ summary: {}, exposures: { direct }, alerts: { alerts } });
  const alert = { alertLevel: 'MEDIUM', categoryId: 16, category: 'gambling', exposureType: 'INDIRECT', alertAmount: 20 };

  test('takes the worst alert, and a direct exposure without an alert', () => {
    const explained = provider.explain(
      evidence([alert, { ...alert, alertLevel: 'HIGH', categoryId: 2, category: null }], {
        name: 'a mixer',
        categoryId: 13,
        category: 'mixing',
      }),
    );
    expect(explained).toMatchObject({
      result: {
        risk_level: 'High',
        score: 71,
        detail_list: ['Mixer'],
        risk_detail: [
          { risk_type: 'gambling', exposure_type: 'indirect', hop_num: 2, volume_usd: 20 },
          { risk_type: 'illicit_activity', exposure_type: 'indirect' },
          { entity: 'a mixer', risk_type: 'mixer', exposure_type: 'direct', hop_num: 1 },
        ],
      },
    });
  });

  test.each([
    ['an id that nobody knows', { ...alert, categoryId: 8 }],
    ['an id and a name that differ', { ...alert, categoryId: 3 }],
    ['no category', { ...alert, categoryId: null, category: null }],
  ])('an alert with %s is unreadable', (_, one) => {
    expect(provider.explain(evidence([one]))).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
  });

  test('a category of the installation counts', () => {
    const own = new Map([['a new one', { names: ['a new one'], risk_type: 'sanctioned_entity' }]]);
    const one = { ...alert, alertLevel: 'SEVERE', category: 'A new one', categoryId: 77 };
    const knowing = chainalysisProvider({ baseUrl: api.url, apiKey, clock: systemClock, categories: own }, limits);
    expect(provider.explain(evidence([one]))).toMatchObject({ kind: 'unavailable' });
    expect(knowing.explain(evidence([one]))).toMatchObject({ result: { risk_detail: [{ risk_type: 'sanctioned_entity' }] } });
  });
});
