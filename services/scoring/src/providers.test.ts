import { mostExported } from '@weir/service-kit';
import { simulateChainalysis, simulateElliptic, simulateSpecified, type SimulatedApi } from '@weir/risk-provider/testing';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness, type Replica } from './harness.testing.ts';
import { agreementSince, disagreementsSince, type ScoringSettings } from './index.ts';

const keys = { upstreamApiKey: 'key-of-the-first', secondApiKey: 'key-of-the-second', secondApiSecret: 'c2VjcmV0' };
const generous = {
  upstreamPerSecond: 1_000,
  upstreamPerDay: 1_000_000,
  secondPlan: 'enterprise',
  secondPerSecond: 1_000,
  secondPerDay: 1_000_000,
} as const;

let harness: Harness;
let first: SimulatedApi;
let second: SimulatedApi;
beforeEach(async () => {
  harness = await openHarness();
  second = await simulateElliptic({ apiKey: keys.secondApiKey, apiSecret: keys.secondApiSecret });
});
afterEach(async () => {
  await harness.close();
  await first.close();
  await second.close();
});

const withSecond = (role: 'fallback' | 'shadow'): Partial<ScoringSettings> => ({
  ...keys,
  ...generous,
  upstreamUrl: first.url,
  secondRole: role,
  secondProvider: 'elliptic',
  secondUrl: second.url,
  fallbackAfterMs: 100,
});
/** Rows of an export. */
async function exported(scoring: Replica, list: string, query = ''): Promise<Record<string, string>[]> {
  const answer = await scoring.ask('auditor', `/v1/exports/${list}${query}`);
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, `attachment; filename="${list}.csv"`]);
  expect(answer.headers.get('x-weir-cut')).toBe('false');
  return parse(await answer.text(), { columns: true });
}

const hostOf = (api: SimulatedApi): string => new URL(api.url).host;

describe('Chainalysis as the deciding provider', () => {
  beforeEach(async () => {
    first = await simulateChainalysis({ apiKey: keys.upstreamApiKey });
  });

  test('is asked about each receiver of a transaction, and learns no id of a customer', async () => {
    const txid = `0x${'1'.repeat(64)}`;
    const deposits = ['a', 'b', 'a'].map((receiver) => {
      const request = aRequest({ subject_type: 'txid', subject: txid });
      return { ...request, transfer: { ...request.transfer, to_address: `0x${receiver.repeat(40)}`, user_id: `customer-${receiver}` } };
    });
    first.answer(() => ({ level: 'High', riskType: 'mixer', polls: 1 }));
    await harness.replica({ ...keys, ...generous, provider: 'chainalysis', upstreamUrl: first.url });
    await harness.request(deposits);
    const scored = await harness.untilScored(3);
    expect(scored.map(({ outcome, risk_level, provider }) => [outcome, risk_level, provider])).toEqual(
      Array.from({ length: 3 }, () => ['SCORED', 'High', hostOf(first)]),
    );
    const registered = first.received.filter(({ method }) => method === 'POST');
    expect(new Set(registered.map(({ body }) => JSON.parse(body).transferReference))).toEqual(
      new Set(['a', 'b'].map((receiver) => `${txid}:0x${receiver.repeat(40)}`)),
    );
    expect(JSON.stringify(first.received)).not.toContain('customer-');
    expect(registered.every(({ path }) => /^\/api\/kyt\/v2\/users\/[0-9a-f]{32}\/transfers$/.test(path))).toBe(true);
  });

  test('assesses each withdrawal by itself, and no result answers another one', async () => {
    await harness.replica({ ...keys, ...generous, provider: 'chainalysis', upstreamUrl: first.url });
    const subject = `0x${'2'.repeat(40)}`;
    for (const count of [1, 2]) {
      await harness.request([aRequest({ direction: 'withdraw', subject, lane: 'withdrawal' })]);
      await harness.untilScored(count);
    }
    const attempts = first.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).attemptIdentifier);
    expect(new Set(attempts).size).toBe(2);
  });

  test('holds a deposit that names no transaction', async () => {
    await harness.replica({ ...keys, ...generous, provider: 'chainalysis', upstreamUrl: first.url });
    await harness.request([aRequest()]);
    expect((await harness.untilScored(1))[0]).toMatchObject({ outcome: 'INVALID', reasons: ['INVALID_TRANSFER'], risk_level: null });
    expect(first.received).toEqual([]);
  });
});

describe('a second provider', () => {
  beforeEach(async () => {
    first = await simulateSpecified({ apiKey: keys.upstreamApiKey });
  });

  test('answers as a fallback while the first is away, under its own name, and no longer', async () => {
    second.answer(() => ({ level: 'Moderate' }));
    await harness.replica(withSecond('fallback'));
    await harness.request([aRequest()]);
    expect((await harness.untilScored(1))[0]).toMatchObject({ provider: hostOf(first), risk_level: 'Low' });
    expect(second.received).toEqual([]);
    await first.away();
    const subject = `0x${'3'.repeat(40)}`;
    const during = [aRequest({ subject }), aRequest(), aRequest()];
    await harness.request(during);
    const ids = new Set(during.map(({ screening_id }) => screening_id));
    const away = (await harness.untilScored(4, 60_000)).filter(({ screening_id }) => ids.has(screening_id));
    expect(away.map(({ provider, outcome, risk_level }) => [provider, outcome, risk_level])).toEqual(
      Array.from({ length: 3 }, () => [hostOf(second), 'SCORED', 'Moderate']),
    );
    await first.back();
    await vi.waitFor(
      async () => {
        const before = (await harness.scored()).length;
        // The fallback's answer about this subject is not kept.
        const again = aRequest({ subject });
        await harness.request([again]);
        const all = await harness.untilScored(before + 1);
        expect(all.find(({ screening_id }) => screening_id === again.screening_id)).toMatchObject({
          provider: hostOf(first),
          risk_level: 'Low',
          reused: false,
        });
      },
      { timeout: 60_000, interval: 500 },
    );
  });

  test('takes over a running task of a first one that went away', async () => {
    first.answer(() => ({ level: 'Low', polls: 1_000_000 }));
    await harness.replica(withSecond('fallback'));
    await harness.request([aRequest()]);
    await vi.waitFor(() => expect(first.received.some(({ path }) => path.endsWith('query_task'))).toBe(true));
    await first.away();
    expect((await harness.untilScored(1, 60_000))[0]).toMatchObject({ provider: hostOf(second), outcome: 'SCORED' });
  });

  test('that is away too holds the transfer, with the reason', async () => {
    await first.away();
    await second.away();
    await harness.replica(withSecond('fallback'));
    await harness.request([aRequest()]);
    await harness.failedAndLate(1);
    expect((await harness.untilScored(1))[0]).toMatchObject({
      outcome: 'UNAVAILABLE',
      reasons: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_PASSED'],
    });
    await second.back();
    await first.back();
  });

  test('in shadow is compared by level and category, and decides nothing', async () => {
    const requests = Array.from({ length: 12 }, () => aRequest());
    const nth = (subject: string): number => requests.findIndex((request) => request.subject === subject);
    // The second one knows better about a third of them.
    first.answer((subject) => (nth(subject) % 2 === 0 ? { level: 'High', riskType: 'mixer' } : { level: 'Low' }));
    second.answer((subject) =>
      nth(subject) % 3 === 0 ? { level: 'Severe', riskType: 'sanctioned_entity' } : { level: 'High', riskType: 'mixer' },
    );
    const scoring = await harness.replica(withSecond('shadow'));
    await harness.request(requests);
    const scored = await harness.untilScored(12);
    expect(new Set(scored.map(({ provider }) => provider))).toEqual(new Set([hostOf(first)]));
    const { pool } = harness.pipeline;
    const agreement = await vi.waitFor(
      async () => {
        const found = await agreementSince(pool, new Date(0));
        expect(found).toMatchObject({ compared: 12, unanswered: 0 });
        return found;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(agreement).toEqual({
      compared: 12,
      unanswered: 0,
      same_level: 4,
      levels: [
        { first: 'High', second: 'High', count: 4 },
        { first: 'Low', second: 'High', count: 4 },
        { first: 'High', second: 'Severe', count: 2 },
        { first: 'Low', second: 'Severe', count: 2 },
      ],
      categories: [
        { category: 'mixer', both: 4, first_only: 2, second_only: 4 },
        { category: 'sanctioned_entity', both: 0, first_only: 0, second_only: 4 },
      ],
    });
    expect(await disagreementsSince(pool, new Date(0), 100)).toHaveLength(8);
    expect(await exported(scoring, 'provider-levels')).toEqual(agreement.levels.map((row) => ({ ...row, count: String(row.count) })));
    expect((await exported(scoring, 'provider-categories')).map(({ category, both }) => [category, both])).toEqual([
      ['mixer', '4'],
      ['sanctioned_entity', '0'],
    ]);
    const disagreements = await exported(scoring, 'provider-disagreements');
    expect(disagreements.filter(({ first: one, second: other }) => one === 'Low' && other === 'Severe')).toHaveLength(2);
    expect(disagreements.find(({ first: one }) => one === 'High')).toMatchObject({
      first_categories: 'mixer',
      second: 'Severe',
      second_categories: 'sanctioned_entity',
    });
    expect(disagreements).toHaveLength(8);
    expect(await scoring.metrics.scrape()).toMatch(/weir_shadow_comparisons_total\{.*first="Low",second="Severe".*\} 2/);
    expect(await harness.scored()).toHaveLength(12);
  });

  test('in shadow is exported so that no spreadsheet runs a risk type, cut at the limit, and for people alone', async () => {
    const scoring = await harness.replica(withSecond('shadow'));
    const lists = ['provider-levels', 'provider-categories', 'provider-disagreements'];
    for (const list of lists)
      expect([await exported(scoring, list), (await scoring.ask('gate', `/v1/exports/${list}`)).status]).toEqual([[], 403]);
    const { pool } = harness.pipeline;
    const compare = (count: number, at: string) =>
      pool.query(
        `INSERT INTO scoring.comparisons (screening_id, attempt, sequence, lookup_id, asked_at, first, second)
         SELECT gen_random_uuid(), 1, 1, 1, $2, $3, $4 FROM generate_series(1, $1::int)`,
        [
          count,
          at,
          { outcome: 'SCORED', risk_level: 'Low', score: 3, categories: ['=1+cmd', 'mixer'] },
          { outcome: 'INVALID', risk_level: null, score: null, categories: [] },
        ],
      );
    await compare(1, '2026-01-01T00:00:00Z');
    const since = '?since=2025-12-31T00:00:00Z';
    expect(await exported(scoring, 'provider-levels', since)).toEqual([{ first: 'Low', second: 'INVALID', count: '1' }]);
    expect((await exported(scoring, 'provider-categories', since)).map(({ category }) => category)).toEqual(["'=1+cmd", 'mixer']);
    expect(await exported(scoring, 'provider-disagreements', since)).toEqual([
      {
        screening_id: expect.any(String),
        asked_at: '2026-01-01T00:00:00.000Z',
        first: 'Low',
        first_score: '3',
        first_categories: "'=1+cmd; mixer",
        second: 'INVALID',
        second_score: '',
        second_categories: '',
      },
    ]);
    for (const list of lists) expect(await exported(scoring, list, '?since=2026-01-01T00:00:01Z')).toEqual([]);
    for (const list of lists) expect((await scoring.ask('auditor', `/v1/exports/${list}?since=now`)).status).toBe(400);
    await compare(mostExported, '2026-01-01T00:00:00Z');
    const answer = await scoring.ask('auditor', `/v1/exports/provider-disagreements${since}`);
    expect([answer.headers.get('x-weir-cut'), parse(await answer.text(), { columns: true }).length]).toEqual(['true', mostExported]);
  });
});
