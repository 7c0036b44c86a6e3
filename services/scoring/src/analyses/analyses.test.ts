import { simulateChainalysis } from '@weir/risk-provider/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Harness, openHarness, type Replica } from '../harness.testing.ts';

const of = (n: number) => ({ chain: 'ethereum', address: `0x${String(n).padStart(40, '0')}` });

let harness: Harness;
afterEach(() => harness.close());

async function read(answer: Promise<Response>): Promise<{ status: number; body: any; retryAfter: string | null }> {
  const found = await answer;
  return { status: found.status, body: await found.json(), retryAfter: found.headers.get('retry-after') };
}

describe('a person asks', () => {
  let scoring: Replica;
  beforeEach(async () => {
    harness = await openHarness();
    scoring = await harness.replica();
  });
  const score = (n: number) => read(scoring.ask('reviewer', '/v1/analyses/scores', of(n)));

  test('for the score of any address, and reads the running task until it is done', async () => {
    harness.upstream.answer(() => ({ running: 2, data: { score: 95, risk_level: 'Severe', detail_list: ['Mixer'] } }));
    const begun = await score(1);
    expect(begun).toMatchObject({ status: 200, body: { state: 'running', task_id: expect.any(String) } });
    const states = await vi.waitFor(async () => {
      const next = await read(scoring.ask('reviewer', `/v1/analyses/scores/${begun.body.task_id}`));
      expect(next.body.state).toBe('done');
      return next;
    });
    expect(states.body).toMatchObject({ outcome: 'SCORED', score: 95, risk_level: 'Severe', detail_list: ['Mixer'], risk_detail: [] });
    expect(harness.upstream.creates).toHaveLength(1);
  });

  test('and nothing is screened or decided', async () => {
    await score(1);
    expect(await harness.scored()).toEqual([]);
    for (const table of ['screenings', 'lookups', 'results'])
      expect((await harness.pipeline.pool.query(`SELECT FROM scoring.${table}`)).rowCount).toBe(0);
  });

  test('about a task that the provider has not, a provider that is away, and what it does not offer', async () => {
    expect(await read(scoring.ask('auditor', '/v1/analyses/scores/nothing'))).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const profile = `/v1/analyses/profile?chain=ethereum&address=${of(1).address}`;
    expect(await read(scoring.ask('auditor', profile))).toMatchObject({ status: 404, body: { code: 'NOT_OFFERED' } });
    await harness.upstream.away();
    expect(await score(1)).toMatchObject({ status: 503, body: { code: 'PROVIDER_AWAY' } });
    await harness.upstream.back();
    expect(await score(2)).toMatchObject({ status: 200, body: { state: 'done' } });
  });

  test.each([
    ['an address of another chain', { chain: 'bitcoin', address: of(1).address }, 'is no address of this chain'],
    ['a chain that nobody knows', { ...of(1), chain: 'nochain' }, 'chain'],
    ['nothing', {}, 'chain'],
  ])('about %s is 400 and asks nobody', async (_, body, said) => {
    const answer = await read(scoring.ask('approver', '/v1/analyses/scores', body));
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(said);
    expect(harness.upstream.creates).toEqual([]);
  });

  test('which chains an address can be on', async () => {
    const chains = async (address: string) => (await read(scoring.ask('auditor', `/v1/analyses/chains?address=${address}`))).body.items;
    expect(await chains('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')).toEqual([{ chain: 'bitcoin', coin: 'BTC' }]);
    expect(await chains(of(1).address)).toContainEqual({ chain: 'ethereum', coin: 'ETH' });
    expect(await chains('weir.near')).toEqual([{ chain: 'near', coin: 'NEAR' }]);
    for (const word of ['no%20address', 'anybody', 'report.pdf']) expect(await chains(word)).toEqual([]);
  });

  test.each(['ingest', 'gate'] as const)('but no machine with the role %s', async (role) => {
    expect((await scoring.ask(role, '/v1/analyses/scores', of(1))).status).toBe(403);
    expect(harness.upstream.creates).toEqual([]);
  });
});

describe('the rate budget', () => {
  test('holds for many people at once, beside the lookups of transfers', async () => {
    harness = await openHarness({ perSecond: 10 });
    const scoring = await harness.replica({ upstreamPerSecond: 10 });
    // Two seconds' worth: a person waits ten, also on a busy machine.
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => read(scoring.ask('reviewer', '/v1/analyses/scores', of(n)))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(harness.upstream.limited).toBe(0);
  });

  test('refuses more than a queue of people, and says when to come again', async () => {
    harness = await openHarness();
    const scoring = await harness.replica({ upstreamPerSecond: 1 });
    const asked = Array.from({ length: 60 }, (_, n) => read(scoring.ask('reviewer', '/v1/analyses/scores', of(n))));
    const first = await Promise.race(asked.map(async (one) => ((await one).status === 429 ? one : new Promise<never>(() => undefined))));
    expect(first).toMatchObject({ body: { code: 'BUDGET_EXHAUSTED' }, retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
    const all = await Promise.all(asked);
    // One a second for the ten seconds that a person waits.
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(13);
    expect(all.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(47);
  });

  test('is shown with what is used and left, and where the day will end', async () => {
    harness = await openHarness();
    const scoring = await harness.replica({ upstreamPerSecond: 50, upstreamPerDay: 300 });
    for (const n of [1, 2, 3]) await scoring.ask('reviewer', '/v1/analyses/scores', of(n));
    const { status, body } = await read(scoring.ask('auditor', '/v1/providers/budget'));
    expect([status, body]).toMatchObject([
      200,
      { per_second: 50, per_day: 300, used_today: 3, left_today: { withdrawal: 297 }, paused_until: null },
    ]);
    expect(body.left_today.deposit).toBeLessThan(297);
    expect(body.left_today.rescreen).toBeLessThanOrEqual(body.left_today.deposit);
    expect((await scoring.ask('gate', '/v1/providers/budget')).status).toBe(403);
  });

  test('keeps for transfers what the day has for them', async () => {
    harness = await openHarness();
    const scoring = await harness.replica({ upstreamPerDay: 12 });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await read(scoring.ask('reviewer', '/v1/analyses/scores', of(n)))).status);
    expect(statuses.at(-1)).toBe(429);
    expect(harness.upstream.creates.length).toBeLessThan(12);
    expect(harness.upstream.creates.length).toBe(statuses.filter((status) => status === 200).length);
  });
});

test('a provider that assesses transfers alone is not asked about an address', async () => {
  harness = await openHarness();
  const api = await simulateChainalysis({ apiKey: 'key' });
  try {
    const scoring = await harness.replica({ provider: 'chainalysis', upstreamUrl: api.url, upstreamApiKey: 'key' });
    const answer = await read(scoring.ask('reviewer', '/v1/analyses/scores', of(1)));
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_OFFERED' } });
    expect(api.received.filter(({ method }) => method === 'POST')).toEqual([]);
  } finally {
    await api.close();
  }
});
