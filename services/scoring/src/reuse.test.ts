import type { ScreeningRequested, ScreeningScored } from '@weir/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const subject = `0x${'5c'.repeat(20)}`;
const worth = (usd_value: string | null, over: Partial<ScreeningRequested> = {}): ScreeningRequested => {
  const request = aRequest({ subject, ...over });
  return { ...request, transfer: { ...request.transfer, usd_value } };
};

/** The result of this request, once all requests have `count` results. */
async function resultOf(request: ScreeningRequested, count: number): Promise<ScreeningScored | undefined> {
  return (await harness.untilScored(count)).find(({ screening_id }) => screening_id === request.screening_id);
}

test.each([
  ['9999.99', 1],
  ['10000', 2],
  ['10000.00', 2],
  ['1000000.5', 2],
  [null, 1],
])('a deposit of %s USD from a subject that was just answered makes %i creates', async (value, creates) => {
  await harness.replica();
  await harness.request([worth('10')]);
  await harness.untilScored(1);
  const next = worth(value);
  await harness.request([next]);
  expect(await resultOf(next, 2)).toMatchObject({ outcome: 'SCORED', reused: creates === 1 });
  expect(harness.upstream.creates).toHaveLength(creates);
});

test.each(['10', null])(
  'a deposit declared as %s USD, worth 20,000 at the known price, is never answered by an earlier result',
  async (value) => {
    harness.upstream.price(() => ({ coin: 'ETH', usd: '20000', day: '2026-01-30' }));
    await harness.replica();
    await harness.request([worth(value)]);
    await harness.untilScored(1);
    await harness.request([worth(value)]);
    await harness.untilScored(2);
    expect(harness.upstream.creates).toHaveLength(2);
  },
);

test('where unknown values count as large, a deposit of unknown value is never answered by an earlier result', async () => {
  await harness.replica({ freshResultForUnknownValue: true });
  await harness.request([worth(null)]);
  await harness.untilScored(1);
  await harness.request([worth(null)]);
  await harness.untilScored(2);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('where unknown values count as large, a small declared value whose price is unanswered is unknown too', async () => {
  harness.upstream.price(503);
  await harness.replica({ freshResultForUnknownValue: true });
  await harness.request([worth('10')]);
  await harness.untilScored(1);
  await harness.request([worth('10')]);
  await harness.untilScored(2);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('large transfers of one subject share one new call, and a small one takes the earlier result meanwhile', async () => {
  let isDone = true;
  harness.upstream.answer(() => ({
    get running() {
      return isDone ? 0 : 1_000_000;
    },
  }));
  await harness.replica();
  await harness.request([worth('10')]);
  await harness.untilScored(1);
  isDone = false;
  await harness.request([worth('20000'), worth('20'), worth('30000')]);
  expect((await harness.untilScored(2)).find(({ transfer }) => transfer.usd_value === '20')).toMatchObject({ reused: true });
  await vi.waitFor(async () => {
    const { rows } = await harness.pipeline.pool.query(`SELECT FROM scoring.screenings WHERE state = 'waiting' AND lookup_id IS NOT NULL`);
    expect(rows).toHaveLength(2);
  }, 20_000);
  isDone = true;
  const told = await harness.untilScored(4);
  expect(told.filter(({ reused }) => reused)).toHaveLength(1);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('a large transfer of a token beyond its share gets a result of its own, though it waits in the lane of re-screenings', async () => {
  await harness.replica();
  await harness.request([worth('10')]);
  await harness.untilScored(1);
  await harness.request([worth('1000000', { lane: 'rescreen' })]);
  await harness.untilScored(2);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('a reused result carries the time of its answer and says that it is reused', async () => {
  await harness.replica();
  const requests = [worth('10'), worth('10')] as const;
  await harness.request([requests[0]]);
  const first = await resultOf(requests[0], 1);
  await harness.request([requests[1]]);
  const second = await resultOf(requests[1], 2);
  expect(first).toMatchObject({ reused: false, scored_at: first?.reported_at });
  expect(second).toMatchObject({ reused: true, scored_at: first?.scored_at, evidence_sha256: first?.evidence_sha256 });
  expect(second?.reported_at).toBeGreaterThan(first?.scored_at ?? Number.NaN);
});

test('a result answers nobody once it was computed ten minutes ago, however recently it was read', async () => {
  const scannedMsAgo = (ms: number) => Math.floor((Date.now() - ms) / 1_000);
  let ageMs = 590_000;
  harness.upstream.answer(() => ({ data: { scanned_ts: scannedMsAgo(ageMs) } }));
  await harness.replica({ maxResultAgeMs: 600_000 });
  await harness.request([worth('10')]);
  await harness.untilScored(1);
  const { rows } = await harness.pipeline.pool.query<{ left: number }>(
    'SELECT extract(epoch FROM expires_at - answered_at)::float8 AS left FROM scoring.results',
  );
  expect(rows[0]?.left).toBeGreaterThan(5);
  expect(rows[0]?.left).toBeLessThanOrEqual(10);
  ageMs = 601_000;
  const other = `0x${'5d'.repeat(20)}`;
  const old = worth('10', { subject: other });
  await harness.request([old]);
  expect(await resultOf(old, 2)).toMatchObject({ outcome: 'SCORED' });
  await harness.request([worth('10', { subject: other })]);
  await harness.untilScored(3);
  expect(harness.upstream.creates).toHaveLength(3);
});

test('by default a result lasts ten minutes, and transfers of 10,000 USD or more get one of their own', async () => {
  const { scoringSchema } = await import('./config.ts');
  expect([scoringSchema.maxResultAgeMs, scoringSchema.freshResultFromUsd]).toMatchObject([
    { default: 600_000, env: 'WEIR_MAX_RESULT_AGE_MS' },
    { default: 10_000, env: 'WEIR_FRESH_RESULT_FROM_USD' },
  ]);
});
