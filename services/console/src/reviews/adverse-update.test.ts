import { type ScreeningDecided, type ScreeningScored, screeningId } from '@weir/contracts';
import { caughtUp } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decided, publish, requested, scored, start, type TestEvent } from '../events.testing.ts';
import { type Console, followed, openReviewStack, type people, type ReviewStack, resolutions } from './reviews.testing.ts';

let reviews: ReviewStack;
let console: Console;
beforeEach(async () => {
  reviews = await openReviewStack();
  console = await reviews.start('1000000');
});
afterEach(() => reviews.stack.close());

const path = (what = '', n = 1): string => `/v1/reviews/${screeningId('deposit', `deposit-${n}`)}${what}`;
const low = { score: 3, risk_level: 'Low', risk_detail: [] } as const;
const severe = { score: 95, risk_level: 'Severe' } as const;
/** Small, so that one person suffices. */
const transfer = { ...(decided('deposit', 1) as { data: ScreeningDecided }).data.transfer, usd_value: '10' };

async function take(...events: TestEvent[]): Promise<void> {
  await publish(console.pipeline, events);
  await caughtUp(console.pipeline, 'console');
}
const decision = (revision: number, over: Partial<ScreeningDecided>): TestEvent =>
  decided('deposit', 1, { transfer, revision, supersedes: revision - 1 || null, decided_at: start + revision * 10_000, ...over });
const allowed = (revision = 1): TestEvent => decision(revision, { action: 'allow', reason_codes: ['LEVEL_LOW'], ...low });
const blocked = (revision = 2): TestEvent => decision(revision, { action: 'block' });
const result = (attempt: number, over: Partial<ScreeningScored>): TestEvent =>
  scored('deposit', 1, { transfer, attempt, scored_at: start + attempt * 10_000 - 1, ...over });

const show = async () => (await console.ask('GET', path(), 'auditor')).body;
const listed = async (query = ''): Promise<string[]> =>
  (await console.ask('GET', `/v1/reviews?${query}`, 'auditor')).body.items.map(
    ({ screening_id }: { screening_id: string }) => screening_id,
  );
const resolve = (action: string, who: keyof typeof people = 'reviewer') =>
  console.ask('POST', path('/resolutions'), who, { action, reason: 'r' });
/** Publishes the next revision, as decision does, with the current time. */
async function follow(): Promise<void> {
  const latest = (await resolutions(console)).at(-1);
  if (latest === undefined) throw new Error('nothing was resolved');
  const before = (decision(latest.revision, {}) as { data: ScreeningDecided }).data;
  await take({ topic: 'screenings.decided', data: { ...followed(latest, before), decided_at: Date.now() } });
}
const ours = screeningId('deposit', 'deposit-1');

describe('an allowed deposit that a re-screening blocks', () => {
  beforeEach(() => take(requested('deposit', 1, { transfer }), result(1, low), allowed(), result(2, severe), blocked()));

  test('is an open review with a mark, and is counted', async () => {
    expect(await show()).toMatchObject({
      state: 'open',
      action: 'block',
      revision: 2,
      adverse_update: true,
      late_result: false,
      held_since: null,
    });
    expect([await listed(), await listed('state=open'), await listed('state=resolved'), await listed('late=true')]).toEqual([
      [ours],
      [ours],
      [],
      [],
    ]);
    const metrics = await console.pipeline.metrics.scrape();
    expect(metrics).toMatch(/^weir_reviews_open\{kind="deposit",state="open"\} 1$/m);
    expect(metrics).toMatch(/^weir_review_oldest_seconds\{kind="deposit",state="open"\} [1-9]/m);
  });

  test('stays one when it is blocked once more, and is none when it is allowed again', async () => {
    await take(result(3, severe), blocked(3));
    expect(await show()).toMatchObject({ state: 'open', adverse_update: true });
    await take(result(4, low), allowed(4));
    expect(await show()).toMatchObject({ state: 'not_held', adverse_update: false });
    expect(await listed()).toEqual([]);
  });

  test('is blocked for good by one person where one suffices', async () => {
    expect(await resolve('block')).toMatchObject({ status: 201, body: { state: 'approved' } });
    expect(await listed('state=approved')).toEqual([ours]);
    await follow();
    expect(await show()).toMatchObject({ state: 'resolved', action: 'block', adverse_update: false });
    expect(await listed()).toEqual([]);
  });

  test('is allowed by two people and by no less, whatever its value', async () => {
    const { body } = await resolve('allow');
    expect(body.state).toBe('pending_approval');
    expect(await listed('state=pending_approval')).toEqual([ours]);
    await console.ask('POST', path('/approvals'), 'approver', { resolution_id: body.resolution_id, approve: true });
    await follow();
    expect(await show()).toMatchObject({ state: 'resolved', action: 'allow', adverse_update: false });
    expect(await listed('state=resolved')).toEqual([ours]);
  });
});

test('one that a re-screening holds has the mark, and what was blocked from the beginning has none', async () => {
  await take(requested('deposit', 1, { transfer }), allowed(), decision(2, { action: 'review', reason_codes: ['LEVEL_HIGH'] }));
  expect(await show()).toMatchObject({ state: 'open', action: 'review', adverse_update: true });
  await take(requested('deposit', 2), decided('deposit', 2), decided('deposit', 2, { revision: 2, supersedes: 1 }));
  expect(await listed()).toEqual([ours]);
  expect((await console.ask('POST', path('/resolutions', 2), 'reviewer', { action: 'block', reason: 'r' })).body.code).toBe('NOT_HELD');
});

describe('what people have allowed', () => {
  const byPeople = (over: Partial<ScreeningDecided> = {}): TestEvent =>
    decision(2, {
      action: 'allow',
      reason_codes: ['REVIEWED'],
      resolution_id: '74e82c20-9d4e-5737-a06e-3c9d66834476',
      score: 75,
      risk_level: 'High',
      ...over,
    });
  beforeEach(() =>
    take(
      requested('deposit', 1, { transfer }),
      result(1, { score: 75, risk_level: 'High' }),
      decision(1, { action: 'review', score: 75, risk_level: 'High' }),
    ),
  );

  test.each<[string, Partial<ScreeningDecided>, Partial<ScreeningScored>, boolean]>([
    ['Severe, where they knew High', {}, severe, true],
    ['High, where they knew High', {}, { score: 76, risk_level: 'High' }, false],
    ['High, where they knew nothing', { score: null, risk_level: null, outcome: 'UNAVAILABLE' }, { score: 75, risk_level: 'High' }, true],
    ['Moderate, where they knew Low', { score: 3, risk_level: 'Low' }, { score: 40, risk_level: 'Moderate' }, false],
    ['Low', {}, low, false],
    ['a local match', {}, { outcome: 'UNAVAILABLE', score: null, risk_level: null, reasons: ['LOCAL_SANCTIONS_MATCH'] }, true],
  ])('stands, and is open again after a later result: %s', async (_, knew, later, isBad) => {
    await take(byPeople(knew), result(3, later));
    expect(await show()).toMatchObject({
      state: isBad ? 'open' : 'resolved',
      action: 'allow',
      revision: 2,
      adverse_update: isBad,
      late_result: true,
    });
    expect(await listed('state=open')).toEqual(isBad ? [ours] : []);
    expect(await listed('late=true')).toEqual([ours]);
    expect((await resolve('block')).status).toBe(isBad ? 201 : 409);
  });

  test('and a result that they knew does not open it', async () => {
    await take(byPeople({ score: 75, risk_level: 'High' }), result(1, severe));
    expect(await show()).toMatchObject({ state: 'resolved', adverse_update: false });
  });

  test('and was reopened after an adverse update is allowed again by two people and by no less', async () => {
    await take(byPeople(), result(3, severe));
    expect((await console.ask('POST', path('/reopenings'), 'reviewer', { reason: 'r' })).status).toBe(201);
    await follow();
    expect(await show()).toMatchObject({ state: 'open', action: 'review', revision: 3 });
    expect((await resolve('allow')).body).toMatchObject({ state: 'pending_approval' });
  });
});
