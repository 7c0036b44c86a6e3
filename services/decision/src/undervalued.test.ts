import { parsePolicy, readPolicy } from '@weir/policy';
import type { ScreeningDecided } from '@weir/contracts';
import { caughtUp, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activatePolicy, replay, startDecision } from './index.ts';
import { requested, scored } from '@weir/contracts/testing';
import { decisionRole, recordPublished } from './role.testing.ts';

let stack: TestStack;
let decision: TestService;
beforeEach(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
  decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
});
afterEach(() => stack.close());

/** A withdrawal of 10 ETH received on 2026-01-01, with this declared value, price and price day. */
async function decide(
  id: string,
  usd_value: string | null,
  known_usd_price: string | null,
  price_day: string | null,
  reasons: string[] = [],
): Promise<ScreeningDecided> {
  const request = requested(id, { kind: 'withdrawal' });
  const transfer = { ...request.transfer, amount: '10', usd_value, user_id: 'u-1' };
  await publishTo(decision.pipeline, 'screenings.requested', { ...request, transfer });
  const result = { kind: 'withdrawal', transfer, known_usd_price, price_day, reasons, score: 35, risk_level: 'Moderate' } as const;
  await publishTo(decision.pipeline, 'screenings.scored', scored(id, 1, 1, result));
  await caughtUp(decision.pipeline, 'decision');
  const [made] = (await readTopic(decision.pipeline, 'screenings.decided')).filter(({ data }) => data.transfer.source_id === id);
  if (made === undefined) throw new Error(`${id} has no decision`);
  return made.data;
}

test('an undervalued withdrawal does not pass a value rule', async () => {
  expect(await decide('w-1', '900', '2000', '2026-01-01')).toMatchObject({
    action: 'review',
    rule: 'withdrawal.Moderate.review_from_usd',
    reason_codes: ['LEVEL_MODERATE', 'USD_VALUE_CONTRADICTED'],
  });
  await recordPublished(stack.db.pool);
  const replayed = await replay(stack.db.pool, decision.pipeline.codec, { since: new Date(0) });
  expect(replayed).toMatchObject({ count: 1, identical: 1 });
});

test('a declared value within the tolerance, and one without a usable price, decide as before', async () => {
  const allowed = { action: 'allow', reason_codes: ['LEVEL_MODERATE'] };
  expect(await decide('within', '900', '135', '2025-12-30')).toMatchObject(allowed);
  expect(await decide('no-price', '900', null, null)).toMatchObject(allowed);
  expect(await decide('old-price', '900', '2000', '2025-12-29')).toMatchObject(allowed);
  expect(await decide('later-price', '900', '2000', '2026-01-02')).toMatchObject(allowed);
});

test('an unanswered question about the price allows nothing by the declared value', async () => {
  expect(await decide('unanswered', '900', null, null, ['PRICE_UNAVAILABLE'])).toMatchObject({
    action: 'review',
    rule: 'withdrawal.Moderate.unknown_value',
    reason_codes: ['PRICE_UNAVAILABLE', 'LEVEL_MODERATE'],
  });
  expect(await decide('large', '9000', null, null, ['PRICE_UNAVAILABLE'])).toMatchObject({
    action: 'review',
    rule: 'withdrawal.Moderate.review_from_usd',
    reason_codes: ['LEVEL_MODERATE', 'PRICE_UNAVAILABLE'],
  });
});

test('a value that is not declared is amount × price', async () => {
  expect(await decide('large', null, '2000', '2026-01-01')).toMatchObject({
    action: 'review',
    rule: 'withdrawal.Moderate.review_from_usd',
    reason_codes: ['LEVEL_MODERATE', 'USD_VALUE_FROM_PRICE'],
  });
  expect(await decide('small', null, '20', '2026-01-01')).toMatchObject({
    action: 'allow',
    reason_codes: ['LEVEL_MODERATE', 'USD_VALUE_FROM_PRICE'],
  });
  const unknown = { action: 'review', rule: 'withdrawal.Moderate.unknown_value', reason_codes: ['LEVEL_MODERATE'] };
  expect(await decide('old-price', null, '20', '2025-12-29')).toMatchObject(unknown);
  expect(await decide('no-price', null, null, null)).toMatchObject(unknown);
});

test('a renewal after midnight is judged by the price of its own day, in the sums of a user too', async () => {
  expect(await decide('w-1', '900', '90', '2026-01-01')).toMatchObject({ action: 'allow' });
  const { transfer } = (await readTopic(decision.pipeline, 'screenings.requested'))[0]?.data ?? {};
  const renewal = {
    kind: 'withdrawal',
    renews_revision: 1,
    requested_at: Date.UTC(2026, 0, 2),
    score: 35,
    risk_level: 'Moderate',
  } as const;
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    scored('w-1', 2, 1, { ...renewal, ...(transfer && { transfer }), known_usd_price: '2000', price_day: '2026-01-02' }),
  );
  await caughtUp(decision.pipeline, 'decision');
  const made = (await readTopic(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
  expect(made.at(-1)).toMatchObject({ revision: 2, action: 'review', reason_codes: ['LEVEL_MODERATE', 'USD_VALUE_CONTRADICTED'] });
  const { rows } = await stack.db.pool.query('SELECT usd_value::float8 AS value FROM decision.transfers');
  expect(rows).toEqual([{ value: 20_000 }]);
  await recordPublished(stack.db.pool);
  expect(await replay(stack.db.pool, decision.pipeline.codec, { since: new Date(0) })).toMatchObject({ count: 2, identical: 2 });
});

test('a contradiction holds what the value rules would allow, by the tolerance of the policy', async () => {
  expect(await decide('below-limit', '500', '80', '2026-01-01')).toMatchObject({
    action: 'review',
    rule: 'value_tolerance',
    reason_codes: ['USD_VALUE_CONTRADICTED', 'LEVEL_MODERATE'],
  });
  const tolerant = `${readPolicy()}\nvalue_tolerance: '1.6'\n`;
  await activatePolicy(stack.db.pool, tolerant);
  expect(await decide('tolerated', '500', '80', '2026-01-01')).toMatchObject({ action: 'allow', policy_hash: parsePolicy(tolerant).hash });
});
