import { randomUUID } from 'node:crypto';
import { caughtUp } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const severe = {
  score: 100,
  risk_level: 'Severe',
  detail_list: ['Sanctioned Entity'],
  risk_detail: [
    { entity: 'Lazarus', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, volume: 5, percent: 50, side: 'in' },
  ],
  illicit_usd: 5,
  risk_report_url: 'https://risk.example/report?token=secret',
};

describe('an answer', () => {
  test('becomes a scored event with its evidence, the token of the report cut out', async () => {
    harness.upstream.answer(() => ({ running: 2, data: severe }));
    await harness.replica();
    const request = aRequest();
    await harness.request([request]);
    const [scored] = await harness.untilScored(1);
    expect(scored).toMatchObject({
      screening_id: request.screening_id,
      sequence: 1,
      outcome: 'SCORED',
      score: 100,
      risk_level: 'Severe',
      risk_detail: [{ entity: 'Lazarus', exposure_type: 'direct', volume_usd: 5, side: 'in' }],
      illicit_usd: 5,
      provider: new URL(harness.upstream.url).host,
      transfer: request.transfer,
    });
    expect(scored?.evidence).not.toContain('secret');
    expect(scored?.evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(harness.upstream.queries.get(request.subject)).toBe(3);
  });

  test('that knows nothing is NO_DATA and has no level', async () => {
    harness.upstream.answer(() => ({ data: { coverage: 'none' } }));
    await harness.replica();
    await harness.request([aRequest()]);
    expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'NO_DATA', risk_level: null }]);
  });

  test.each([
    ['level missing', { risk_level: null }],
    ['score missing', { score: undefined }],
    ['score and level contradict', { score: 95 }],
    ['older than a result may be', { scanned_ts: 1_600_000_000 }],
  ])('with %s holds at the deadline as unreadable, never as a level', async (_name, data) => {
    harness.upstream.answer(() => ({ data }));
    await harness.replica();
    await harness.request([aRequest()]);
    await harness.failedAndLate(1);
    expect(await harness.untilScored(1)).toMatchObject([
      { outcome: 'UNAVAILABLE', risk_level: null, score: null, reasons: ['UPSTREAM_UNREADABLE', 'DEADLINE_PASSED'] },
    ]);
  });

  test.each([
    ['UnsupportedToken', 'UNSUPPORTED', 'UNSUPPORTED_COIN'],
    ['InvalidAddress', 'INVALID', 'INVALID_TRANSFER'],
  ])('of %s is final: %s', async (msg, outcome, reason) => {
    harness.upstream.answer(() => ({ instead: { on: 'create', status: 400, body: JSON.stringify({ success: false, msg, data: {} }) } }));
    await harness.replica();
    await harness.request([aRequest()]);
    expect(await harness.untilScored(1)).toMatchObject([{ outcome, reasons: [reason] }]);
  });
});

test('a transfer that cannot be asked about costs no call', async () => {
  await harness.replica();
  await harness.request([aRequest({ fault: 'UNSUPPORTED_COIN' }), aRequest({ fault: 'INVALID_TRANSFER' })]);
  const outcomes = (await harness.untilScored(2)).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['INVALID', 'UNSUPPORTED']);
  expect(harness.upstream.creates).toEqual([]);
});

test('a remark of a request stands with its results alone, also when a result is shared or missing', async () => {
  await harness.replica();
  const warnings = ['CALLER_TIME_OUT_OF_BOUNDS'];
  const plain = aRequest();
  const remarked = aRequest({ subject: plain.subject, warnings });
  const held = aRequest({ fault: 'INVALID_TRANSFER', warnings });
  await harness.request([plain, remarked, held]);
  const results = await harness.untilScored(3);
  expect(Object.fromEntries(results.map(({ screening_id, reasons }) => [screening_id, reasons]))).toEqual({
    [plain.screening_id]: [],
    [remarked.screening_id]: warnings,
    [held.screening_id]: ['INVALID_TRANSFER', ...warnings],
  });
});

test('one call answers all who wait for the same subject, and the cache those who come later, whatever the coin', async () => {
  harness.upstream.answer(() => ({ running: 4 }));
  await harness.replica();
  await harness.replica();
  const subject = aRequest().subject;
  await harness.request(Array.from({ length: 40 }, (_, n) => aRequest({ subject, coin: n % 2 === 0 ? 'ETH' : 'USDT-ERC20' })));
  await harness.untilScored(40);
  await harness.request([aRequest({ subject })]);
  await harness.untilScored(41);
  expect(harness.upstream.creates).toHaveLength(1);
  await harness.request([aRequest({ subject, direction: 'withdraw' })]);
  await harness.untilScored(42);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('an unreadable answer is never kept for the next', async () => {
  harness.upstream.answer(() => ({ running: 0, data: { risk_level: 'Fine' } }));
  await harness.replica();
  await harness.request([aRequest()]);
  await harness.failedAndLate(1);
  await harness.untilScored(1);
  const { rows } = await harness.pipeline.pool.query('SELECT 1 FROM scoring.results');
  expect(rows).toEqual([]);
});

test('a request that comes again has its result in the log already, and asks nobody', async () => {
  await harness.replica();
  const request = aRequest();
  await harness.request([request]);
  await harness.untilScored(1);
  await harness.request([request, request]);
  await caughtUp(harness.pipeline, 'scoring');
  expect(await harness.scored()).toHaveLength(1);
  expect(harness.upstream.creates).toHaveLength(1);
});

test('while the API is away it is asked by one at a time, holds say so at the deadline, and the late result comes after', async () => {
  await harness.replica();
  await harness.upstream.away();
  const requests = Array.from({ length: 20 }, () => aRequest());
  await harness.request(requests);
  // One refused connection holds up all.
  await harness.untilFailed(1);
  await harness.late(20);
  const holds = await harness.untilScored(20);
  for (const hold of holds)
    expect(hold).toMatchObject({ outcome: 'UNAVAILABLE', sequence: 1, reasons: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_PASSED'] });
  await harness.upstream.back();
  const all = await harness.untilScored(40, 25_000);
  const late = all.filter(({ sequence }) => sequence === 2);
  expect(new Set(late.map(({ screening_id }) => screening_id))).toEqual(new Set(requests.map(({ screening_id }) => screening_id)));
  for (const result of late) expect(result).toMatchObject({ outcome: 'SCORED', risk_level: 'Low' });
});

test('a spent day holds deposits with BUDGET_EXHAUSTED while the share of withdrawals is kept for them', async () => {
  await harness.replica({ upstreamPerDay: 9 });
  await harness.request(Array.from({ length: 12 }, () => aRequest()));
  await harness.untilScored(6);
  await harness.late(6);
  const told = await harness.untilScored(12);
  expect(told.filter(({ outcome }) => outcome === 'SCORED')).toHaveLength(6);
  for (const held of told.filter(({ outcome }) => outcome !== 'SCORED'))
    expect(held.reasons).toEqual(['BUDGET_EXHAUSTED', 'DEADLINE_PASSED']);
  const withdrawal = aRequest({ kind: 'withdrawal', lane: 'withdrawal', direction: 'withdraw' });
  await harness.request([withdrawal]);
  const all = await harness.untilScored(13);
  expect(all.find(({ screening_id }) => screening_id === withdrawal.screening_id)).toMatchObject({ outcome: 'SCORED' });
  expect(harness.upstream.creates).toHaveLength(7);
});

test('a question that waits in a spent lane goes with who joins it from another', async () => {
  // One create for re-screenings, three for withdrawals.
  await harness.replica({ upstreamPerDay: 10 });
  const rescreens = Array.from({ length: 4 }, () => aRequest({ lane: 'rescreen' }));
  await harness.request(rescreens);
  await harness.untilScored(1);
  await vi.waitFor(async () => {
    const { rows } = await harness.pipeline.pool.query<{ claimed: number }>('SELECT count(owner)::int AS claimed FROM scoring.lookups');
    expect(rows[0]?.claimed).toBe(3);
  });
  const [asked] = harness.upstream.creates;
  const subject = rescreens.find((request) => request.subject !== asked?.subject)?.subject ?? '';
  const deposit = aRequest({ subject });
  await harness.request([deposit]);
  const told = await harness.untilScored(3, 10_000);
  expect(told.find(({ screening_id }) => screening_id === deposit.screening_id)).toMatchObject({ outcome: 'SCORED', sequence: 1 });
  expect(harness.upstream.creates.map((create) => create.subject)).toEqual([asked?.subject, subject]);
});

test('a refusal of the day by the API itself stops creates and holds', async () => {
  await harness.close();
  harness = await openHarness({ perDay: 3 });
  await harness.replica();
  await harness.request(Array.from({ length: 6 }, () => aRequest()));
  await harness.untilScored(3);
  // Each refusal is known before the deadline.
  await vi.waitFor(() => expect(harness.upstream.limited).toBeGreaterThan(0));
  await harness.untilFailed(harness.upstream.limited);
  await harness.late(3);
  const told = await harness.untilScored(6);
  expect(told.filter(({ outcome }) => outcome === 'SCORED')).toHaveLength(3);
  for (const held of told.filter(({ outcome }) => outcome !== 'SCORED'))
    expect(held.reasons).toEqual(['BUDGET_EXHAUSTED', 'DEADLINE_PASSED']);
});

test('a task that the API has forgotten is created anew', async () => {
  harness.upstream.answer((_subject, create) => (create === 1 ? { forgotten: 99, running: 1 } : {}));
  await harness.replica();
  await harness.request([aRequest()]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED' }]);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('a task under way is followed by another replica when its own goes, without a second create', async () => {
  harness.upstream.answer(() => ({ running: 8 }));
  const first = await harness.replica({ upstreamPollMs: 300 });
  const request = aRequest();
  await harness.request([request]);
  await vi.waitFor(() => expect(harness.upstream.queries.get(request.subject) ?? 0).toBeGreaterThan(0), { timeout: 10_000 });
  await first.stop();
  await harness.replica();
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED', sequence: 1 }]);
  expect(harness.upstream.creates).toHaveLength(1);
});

test('withdrawals overtake a backlog of deposits', async () => {
  await harness.replica({ upstreamPerSecond: 20 });
  await harness.request(Array.from({ length: 100 }, () => aRequest()));
  await harness.untilScored(5);
  const before = harness.upstream.creates.length;
  const withdrawals = Array.from({ length: 4 }, () =>
    aRequest({ kind: 'withdrawal', lane: 'withdrawal', direction: 'withdraw', subject: `0x${randomUUID()}` }),
  );
  await harness.request(withdrawals);
  const subjects = new Set(withdrawals.map(({ subject }) => subject));
  await vi.waitFor(() => expect(harness.upstream.creates.filter(({ subject }) => subjects.has(subject))).toHaveLength(4), {
    timeout: 10_000,
    interval: 20,
  });
  expect(harness.upstream.creates.length - before).toBeLessThan(40);
});
