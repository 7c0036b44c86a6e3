import { type ReviewResolved, screeningId } from '@weir/contracts';
import { createResolutions, putResolution } from '@weir/reviews/testing';
import { caughtUp, openTestStack, type TestService, type TestStack, tell, told } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDecision } from './index.ts';
import { scored, unavailable } from './screenings.fixture.ts';

let stack: TestStack;
let decision: TestService;
beforeEach(async () => {
  stack = await openTestStack();
  await createResolutions(stack.db.pool);
  decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
});
afterEach(() => stack.close());

const high = { risk_level: 'High', score: 80 } as const;

async function score(...results: ReturnType<typeof scored>[]): Promise<void> {
  for (const result of results) {
    await tell(decision.pipeline, 'screenings.scored', result);
    await caughtUp(decision.pipeline, 'decision');
  }
}

/** People resolve this revision. */
async function resolve(revision: number, action: 'allow' | 'block'): Promise<void> {
  const resolution: ReviewResolved = {
    screening_id: screeningId('deposit', 'd-1'),
    revision,
    action,
    reviewer: 'reviewer:a',
    approver: 'approver:b',
    reason: 'known',
    resolved_at: 1,
    resolution_id: screeningId('deposit', `resolution-${revision}`),
    approved_at: 2,
  };
  await putResolution(stack.db.pool, resolution);
  await tell(decision.pipeline, 'reviews.resolved', resolution);
  await caughtUp(decision.pipeline, 'decision');
}

async function decisions(): Promise<string[]> {
  const all = (await told(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
  const once = [...new Map(all.map((one) => [one.revision, one])).values()].toSorted((a, b) => a.revision - b.revision);
  return once.map(({ revision, action, reason_codes }) => `${revision} ${action} ${reason_codes.join()}`);
}

test('an aged allow for which there is no result in time is held, and a late result decides', async () => {
  await score(
    scored('d-1', 1, 1),
    { ...unavailable('d-1', 2, 1, ['DEADLINE_PASSED']), renews_revision: 1 },
    scored('d-1', 2, 2, { renews_revision: 1 }),
  );
  expect(await decisions()).toEqual(['1 allow LEVEL_LOW', '2 review DEADLINE_PASSED', '3 allow LEVEL_LOW']);
});

test('an aged allow of people is decided anew by the policy; what people decide then stands', async () => {
  await score(scored('d-1', 1, 1, high));
  await resolve(1, 'allow');
  await score(scored('d-1', 2, 1, { ...high, renews_revision: 2 }), scored('d-1', 2, 1, { ...high, renews_revision: 2 }));
  expect(await decisions()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review LEVEL_HIGH']);
  await resolve(3, 'block');
  await score(scored('d-1', 2, 2, { renews_revision: 2 }), scored('d-1', 3, 1, { renews_revision: 4 }), scored('d-1', 4, 1, high));
  expect((await decisions()).slice(3)).toEqual(['4 block REVIEWED']);
});

test('a result that renews another revision than the one in force overrides no person, and holds nothing', async () => {
  await score(scored('d-1', 1, 1, high));
  await resolve(1, 'allow');
  await score(scored('d-1', 2, 1, { ...high, renews_revision: 1 }), { ...unavailable('d-1', 3, 1), renews_revision: 3 });
  expect(await decisions()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
});
