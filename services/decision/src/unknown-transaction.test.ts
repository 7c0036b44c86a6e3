import { readPolicy } from '@weir/policy';
import { caughtUp, openTestStack, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activatePolicy, replay, startDecision } from './index.ts';
import { requested, scored } from '@weir/contracts/testing';
import { decisionRole, recordPublished } from './role.testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
});
afterEach(() => stack.close());

const small = "{ review_from_usd: '250', below: allow, unknown_value: review }";

test.each([
  ['block', { action: 'block', rule: 'deposit.Moderate', reason_codes: ['LEVEL_MODERATE'] }],
  [small, { action: 'allow', rule: 'deposit.NO_DATA.below', reason_codes: ['NO_DATA'] }],
])('where the policy allows a small unknown transaction, its Moderate sender counts by the policy too: %s', async (moderate, wanted) => {
  const { pipeline } = await stack.service((one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }));
  const [deposits = '', withdrawals = ''] = readPolicy().split('\nwithdrawal:');
  const policy = deposits.replace(/Moderate: .*/, `Moderate: ${moderate}`).replace(/NO_DATA: .*/, `NO_DATA: ${small}`);
  await activatePolicy(stack.db.pool, `${policy}\nwithdrawal:${withdrawals}`);
  const request = requested('d-1');
  const txid = `0x${'a'.repeat(64)}`;
  const transfer = { ...request.transfer, txid, usd_value: '100' };
  const sender = { subject: transfer.from_address ?? '', subject_type: 'address', score: 35, risk_level: 'Moderate' } as const;
  const questions = [
    { subject: txid, subject_type: 'txid', outcome: 'NO_DATA', score: null, risk_level: null, evidence_sha256: null },
    { ...sender, outcome: 'SCORED', evidence_sha256: null },
  ] as const;
  await publishTo(
    pipeline,
    'screenings.scored',
    scored('d-1', 1, 1, { outcome: 'NO_DATA', score: null, risk_level: null, transfer, questions }),
  );
  await caughtUp(pipeline, 'decision');
  expect((await readTopic(pipeline, 'screenings.decided')).map(({ data }) => data)).toMatchObject([wanted]);
  await recordPublished(stack.db.pool);
  expect(await replay(stack.db.pool, pipeline.codec, { since: new Date(0) })).toMatchObject({ count: 1, identical: 1 });
});
