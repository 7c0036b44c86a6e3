import { type ReviewResolved, type ScreeningDecided, screeningId } from '@weir/contracts';
import { caughtUp, deadLetters, openTestStack, type TestService, type TestStack, tell, told } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDecision } from './index.ts';
import { requested, scored, unavailable } from './screenings.fixture.ts';
import { readHeld } from './stored.ts';

let stack: TestStack;
let decision: TestService;
beforeEach(async () => {
  stack = await openTestStack();
  decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '' }));
});
afterEach(() => stack.close());

const high = { risk_level: 'High', score: 80 } as const;

/** The n-th resolution, of this revision. */
function resolved(n: number, revision: number, over: Partial<ReviewResolved> = {}): ReviewResolved {
  return {
    screening_id: screeningId('deposit', 'd-1'),
    revision,
    action: 'allow',
    reviewer: 'reviewer:a',
    approver: 'approver:b',
    reason: 'known',
    resolved_at: 1,
    resolution_id: screeningId('deposit', `resolution-${n}`),
    approved_at: 2,
    ...over,
  };
}

async function take(...resolutions: ReviewResolved[]): Promise<void> {
  await tell(decision.pipeline, 'reviews.resolved', ...resolutions);
  await caughtUp(decision.pipeline, 'decision');
}
async function hold(): Promise<void> {
  await tell(decision.pipeline, 'screenings.requested', requested('d-1'));
  await tell(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, high));
  await caughtUp(decision.pipeline, 'decision');
}
async function decisions(): Promise<ScreeningDecided[]> {
  const all = (await told(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
  return [...new Map(all.map((one) => [one.revision, one])).values()].sort((a, b) => a.revision - b.revision);
}
const brief = async () => (await decisions()).map(({ revision, action, reason_codes }) => `${revision} ${action} ${reason_codes.join()}`);

test('what people resolved becomes the next revision, with what was known, and not the policy’s', async () => {
  await hold();
  await take(resolved(1, 1));
  expect((await decisions())[1]).toMatchObject({
    revision: 2,
    supersedes: 1,
    action: 'allow',
    reason_codes: ['REVIEWED'],
    rule: null,
    outcome: 'SCORED',
    score: 80,
    risk_level: 'High',
    resolution_id: resolved(1, 1).resolution_id,
    policy_hash: (await decisions())[0]?.policy_hash,
    transfer: requested('d-1').transfer,
  });
  const { rows } = await stack.db.pool.query(
    'SELECT by_person, action, evidence, policy_hash FROM decision.screenings JOIN decision.decisions USING (screening_id, revision, action)',
  );
  expect(rows).toEqual([{ by_person: true, action: 'allow', evidence: null, policy_hash: null }]);
});

test('a resolution that comes again, in the same batch or later, is told of with the stored bytes and decides nothing', async () => {
  await hold();
  await take(resolved(1, 1), resolved(1, 1));
  await take(resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
  const bytes = (await told(decision.pipeline, 'screenings.decided')).filter(({ data }) => data.revision === 2);
  expect(bytes.length).toBeGreaterThan(1);
  expect(new Set(bytes.map(({ record }) => record.value.toString('hex'))).size).toBe(1);
  expect(await decision.pipeline.metrics.scrape()).toContain('weir_resolutions_total{action="allow",result="applied"} 1');
});

test('no machine’s result overrides people: not a late one, not a hold, not the deadline', async () => {
  await hold();
  await take(resolved(1, 1));
  await tell(decision.pipeline, 'screenings.scored', scored('d-1', 2, 1, { risk_level: 'Severe', score: 100 }), unavailable('d-1', 3));
  await tell(decision.pipeline, 'screenings.requested', requested('d-1', { deadline_at: 1 }));
  await caughtUp(decision.pipeline, 'decision');
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
});

test('a resolution of a revision that a result has superseded changes nothing, and is counted', async () => {
  await hold();
  await tell(decision.pipeline, 'screenings.scored', scored('d-1', 1, 2, { risk_level: 'Severe', score: 100 }));
  await take(resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 block LEVEL_SEVERE']);
  expect(await decision.pipeline.metrics.scrape()).toContain('weir_resolutions_total{action="allow",result="overtaken"} 1');
  expect(await deadLetters(decision.pipeline, 'reviews.resolved')).toEqual([]);
});

test('people hold again what people allowed; it stays theirs, and no bulk release lists it', async () => {
  await hold();
  await take(resolved(1, 1));
  await take(resolved(2, 2, { action: 'review', approver: null, approved_at: null }));
  await tell(decision.pipeline, 'screenings.scored', scored('d-1', 2));
  await take(resolved(3, 3, { action: 'block' }));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review REVIEWED', '4 block REVIEWED']);
  for await (const page of readHeld(stack.db.pool, ['deposit'])) expect(page).toEqual([]);
});

test.each<[string, Partial<ReviewResolved>, string]>([
  ['of a revision there has never been', { revision: 7 }, 'UNKNOWN_REVISION'],
  ['of a screening there is not', { screening_id: screeningId('deposit', 'nobody') }, 'UNKNOWN_REVISION'],
  ['approved by who resolved it', { approver: 'reviewer:a' }, 'INVALID_REVIEW'],
  ['without an id', { resolution_id: '' }, 'INVALID_REVIEW'],
  ['of no screening', { screening_id: 'x' }, 'INVALID_SCREENING_ID'],
])('one %s goes to the dead letters, and the others of its batch do not', async (_, over, reason) => {
  await hold();
  await take(resolved(2, 1, over), resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
  const letters = await deadLetters(decision.pipeline, 'reviews.resolved');
  expect(letters.map(({ headers }) => headers['weir_reason'])).toEqual([reason]);
});

test('what nothing is known of may be allowed by people', async () => {
  await tell(decision.pipeline, 'screenings.requested', requested('d-1'));
  await tell(decision.pipeline, 'screenings.scored', unavailable('d-1'));
  await caughtUp(decision.pipeline, 'decision');
  await take(resolved(1, 1));
  expect((await decisions()).at(-1)).toMatchObject({
    revision: 2,
    action: 'allow',
    outcome: 'UNAVAILABLE',
    score: null,
    reason_codes: ['REVIEWED'],
  });
});
