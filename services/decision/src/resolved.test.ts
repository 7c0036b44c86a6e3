import { type ReviewResolved, type ScreeningDecided, screeningId } from '@weir/contracts';
import { putResolution } from '@weir/reviews/testing';
import { caughtUp, deadLetters, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startDecision } from './index.ts';
import { requested, scored, unavailable } from '@weir/contracts/testing';
import { decisionRole, openDecision } from './role.testing.ts';
import { readHeld } from './stored.ts';

let stack: TestStack;
let decision: TestService;
beforeEach(async () => {
  ({ stack, decision } = await openDecision());
});
afterEach(() => stack.close());

const high = { risk_level: 'High', score: 80 } as const;

async function refused(): Promise<(string | undefined)[]> {
  return (await deadLetters(decision.pipeline, 'reviews.resolved')).map(({ headers }) => headers['weir_reason']);
}

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

/** Resolutions as the console stores and publishes them. */
async function take(...resolutions: ReviewResolved[]): Promise<void> {
  const once = new Map(resolutions.map((one) => [one.resolution_id, one]));
  for (const one of once.values()) {
    const { rowCount } = await stack.db.pool.query('SELECT FROM console.stored_resolutions WHERE resolution_id = $1', [one.resolution_id]);
    if (rowCount === 0) await putResolution(stack.db.pool, one);
  }
  await send(...resolutions);
}
/** As anybody with write access to the topic can. */
async function send(...resolutions: ReviewResolved[]): Promise<void> {
  await publishTo(decision.pipeline, 'reviews.resolved', ...resolutions);
  await caughtUp(decision.pipeline, 'decision');
}
async function hold(): Promise<void> {
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1'));
  // Topics have no order between them.
  await caughtUp(decision.pipeline, 'decision');
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, high));
  await caughtUp(decision.pipeline, 'decision');
}
async function decisions(): Promise<ScreeningDecided[]> {
  const all = (await readTopic(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
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

test('a resolution that comes again, in the same batch or later, is published once and decides nothing', async () => {
  await hold();
  await take(resolved(1, 1), resolved(1, 1));
  await take(resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
  expect((await readTopic(decision.pipeline, 'screenings.decided')).map(({ data }) => data.revision)).toEqual([1, 2]);
  expect(await decision.pipeline.metrics.scrape()).toContain('weir_resolutions_total{action="allow",result="applied"} 1');
});

test('no machine’s result overrides people: not a late one, not a hold, not the deadline', async () => {
  await hold();
  await take(resolved(1, 1));
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 2, 1, { risk_level: 'Severe', score: 100 }), unavailable('d-1', 3));
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1', { deadline_at: 1 }));
  await caughtUp(decision.pipeline, 'decision');
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
});

test('a resolution of a revision that a result has superseded changes nothing, and is counted', async () => {
  await hold();
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 2, { risk_level: 'Severe', score: 100 }));
  // Topics have no order between them.
  await caughtUp(decision.pipeline, 'decision');
  await take(resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 block LEVEL_SEVERE']);
  expect(await decision.pipeline.metrics.scrape()).toContain('weir_resolutions_total{action="allow",result="superseded"} 1');
  expect(await deadLetters(decision.pipeline, 'reviews.resolved')).toEqual([]);
});

test('people hold again what people allowed; it stays theirs, and no bulk release lists it', async () => {
  await hold();
  await take(resolved(1, 1));
  await take(resolved(2, 2, { action: 'review', approver: null, approved_at: null }));
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 2));
  await take(resolved(3, 3, { action: 'block' }));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review REVIEWED', '4 block REVIEWED']);
  for await (const page of readHeld(stack.db.pool, ['deposit'])) expect(page).toEqual([]);
});

const allow = resolved(2, 1);
const forged: [string, Partial<ReviewResolved>, string][] = [
  ['of a revision there has never been', { revision: 7 }, 'RESOLUTION_DIFFERS'],
  ['of another screening', { screening_id: screeningId('deposit', 'nobody') }, 'RESOLUTION_DIFFERS'],
  ['with another action', { action: 'block' }, 'RESOLUTION_DIFFERS'],
  ['without the approver', { approver: null, approved_at: null }, 'RESOLUTION_DIFFERS'],
  ['with another reason', { reason: 'another' }, 'RESOLUTION_DIFFERS'],
  ['that the console does not know', { resolution_id: screeningId('deposit', 'no resolution') }, 'UNKNOWN_RESOLUTION'],
  ['approved by who resolved it', { approver: 'reviewer:a' }, 'INVALID_REVIEW'],
  ['without an id', { resolution_id: '' }, 'INVALID_REVIEW'],
  ['of no screening', { screening_id: 'x' }, 'INVALID_SCREENING_ID'],
];

test.each(forged)('one %s goes to the dead letters, and the others of its batch do not', async (_, over, reason) => {
  await hold();
  await putResolution(stack.db.pool, allow);
  await putResolution(stack.db.pool, resolved(1, 1));
  await send({ ...allow, ...over }, resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
  expect(await refused()).toEqual([reason]);
  expect(await decision.pipeline.metrics.scrape()).toContain(`weir_dead_letters_total{topic="reviews.resolved",reason="${reason}"} 1`);
});

test.each(forged)('one %s goes to the dead letters also after the real one was applied', async (_, over, reason) => {
  await hold();
  await take(allow);
  await send({ ...allow, ...over });
  expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
  expect(await refused()).toEqual([reason]);
});

test('one of a revision that decision has never made goes to the dead letters, though the console stored it', async () => {
  await hold();
  await take(resolved(1, 7), resolved(2, 1, { screening_id: screeningId('deposit', 'nobody') }));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH']);
  expect(await refused()).toEqual(['UNKNOWN_REVISION', 'UNKNOWN_REVISION']);
});

test.each([null, 'rejected'])('one that is stored with the answer %s is not applied', async (answer) => {
  await hold();
  await putResolution(stack.db.pool, resolved(1, 1), { answer });
  await send(resolved(1, 1));
  expect(await brief()).toEqual(['1 review LEVEL_HIGH']);
  expect(await refused()).toEqual(['RESOLUTION_NOT_APPROVED']);
});

test('without a console nobody has resolved anything', async () => {
  await stack.db.pool.query('DROP SCHEMA console CASCADE');
  await hold();
  await send(resolved(1, 1));
  expect(await refused()).toEqual(['UNKNOWN_RESOLUTION']);
});

describe('the rules of reviews are applied once more to what is stored:', () => {
  const single = { approver: null, approved_at: null };
  const restart = async (reviewSingleBelowUsd: string): Promise<void> => {
    await decision.stop();
    decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd }), { role: decisionRole });
  };
  const letsThrough = async (event: ReviewResolved, over?: Parameters<typeof putResolution>[2]): Promise<(string | undefined)[]> => {
    await putResolution(stack.db.pool, event, over);
    await send(event);
    return refused();
  };

  test('two tokens of one person are one person', async () => {
    await hold();
    expect(await letsThrough(resolved(1, 1), { names: ['Ann', 'ANN '] })).toEqual(['SAME_PERSON']);
    expect(await letsThrough(resolved(2, 1, { reviewer: 'reviewer:x', approver: 'approver:x' }))).toEqual(['SAME_PERSON', 'SAME_PERSON']);
    expect(await brief()).toEqual(['1 review LEVEL_HIGH']);
  });

  // The deposit is worth 5,000 USD.
  test.each<[string, string, boolean, string[]]>([
    ['not without a limit', '', false, ['APPROVAL_MISSING']],
    ['not at the limit', '5000', false, ['APPROVAL_MISSING']],
    ['below the limit', '5000.01', false, []],
    ['not where the console asked for two', '5000.01', true, ['APPROVAL_MISSING']],
  ])('one person may resolve %s', async (_, limit, needsApproval, reasons) => {
    await restart(limit);
    await hold();
    expect(await letsThrough(resolved(1, 1, single), { needsApproval })).toEqual(reasons);
    expect((await brief()).length).toBe(reasons.length === 0 ? 2 : 1);
  });

  test.each([
    ['contradicted', { known_usd_price: '9000', price_day: '2026-01-01' }],
    ['not verified', { reasons: ['PRICE_UNAVAILABLE'] }],
  ])('one person may not where the declared value is %s', async (_, over) => {
    await restart('1000000');
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { ...high, ...over }));
    await caughtUp(decision.pipeline, 'decision');
    expect(await letsThrough(resolved(1, 1, single))).toEqual(['APPROVAL_MISSING']);
  });

  test('one person may not where no result came by the deadline, so that nobody verified the declared value', async () => {
    await restart('1000000');
    await publishTo(decision.pipeline, 'screenings.requested', requested('d-1', { deadline_at: Date.now() - 1 }));
    await vi.waitFor(async () => expect(await brief()).toHaveLength(1), { timeout: 10_000 });
    expect(await letsThrough(resolved(1, 1, single))).toEqual(['APPROVAL_MISSING']);
  });

  test('one person may not let through again what was let through and held again', async () => {
    await restart('1000000');
    await hold();
    await take(resolved(1, 1, single), resolved(2, 2, { action: 'review', ...single }));
    expect(await brief()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review REVIEWED']);
    expect(await letsThrough(resolved(3, 3, single))).toEqual(['APPROVAL_MISSING']);
    await take(resolved(4, 3, { action: 'block', ...single }));
    expect(await brief()).toHaveLength(4);
  });

  test('one person may not where a result named a sanctioned entity at any distance', async () => {
    await restart('1000000');
    const exposure = {
      entity: 'S',
      risk_type: 'sanctioned_entity',
      exposure_type: 'indirect',
      hop_num: 3,
      volume_usd: 1,
      percent: 1,
      side: null,
    } as const;
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { ...high, risk_detail: [exposure] }));
    await caughtUp(decision.pipeline, 'decision');
    expect(await decisions()).toMatchObject([{ reason_codes: ['LEVEL_HIGH'], names_sanctioned: true }]);
    expect(await letsThrough(resolved(1, 1, single))).toEqual(['APPROVAL_MISSING']);
  });

  test('a block is reopened before it is released, and what is held is not reopened', async () => {
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { risk_level: 'Severe', score: 100 }));
    await caughtUp(decision.pipeline, 'decision');
    expect(await letsThrough(resolved(1, 1))).toEqual(['NOT_RESOLVABLE']);
    await take(resolved(2, 1, { action: 'review', ...single }));
    expect(await letsThrough(resolved(3, 2, { action: 'review', ...single }))).toEqual(['NOT_RESOLVABLE', 'NOT_RESOLVABLE']);
    await take(resolved(4, 2));
    expect(await brief()).toEqual(['1 block LEVEL_SEVERE', '2 review REVIEWED', '3 allow REVIEWED']);
  });

  test('a block that was reopened is released by two people, also below the limit for one', async () => {
    await restart('1000000');
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { risk_level: 'Severe', score: 100 }));
    await caughtUp(decision.pipeline, 'decision');
    await take(resolved(1, 1, { action: 'review', ...single }));
    expect(await letsThrough(resolved(2, 2, single))).toEqual(['APPROVAL_MISSING']);
    await take(resolved(3, 2));
    expect(await brief()).toEqual(['1 block LEVEL_SEVERE', '2 review REVIEWED', '3 allow REVIEWED']);
  });

  test('what was allowed and is blocked now is allowed by two people alone', async () => {
    await restart('1000000');
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1));
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 2, 1, { risk_level: 'Severe', score: 100 }));
    await caughtUp(decision.pipeline, 'decision');
    expect(await letsThrough(resolved(1, 2, single))).toEqual(['APPROVAL_MISSING']);
    await take(resolved(2, 2));
    expect((await brief()).at(-1)).toBe('3 allow REVIEWED');
  });
});

test('what nothing is known of may be allowed by people', async () => {
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1'));
  await caughtUp(decision.pipeline, 'decision');
  await publishTo(decision.pipeline, 'screenings.scored', unavailable('d-1'));
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
