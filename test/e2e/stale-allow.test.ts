import { createChainSchema, putLabel } from '@weir/chain-store/testing';
import { startDecision } from '@weir/decision';
import { startUpstream } from '@weir/risk-client/testing';
import { startScoring } from '@weir/scoring';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decisionRole } from '../../services/decision/src/role.testing.ts';
import { gateRole, lowerCase, openGate } from '../../services/withdrawal-gate/src/gate.testing.ts';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';

let stack: TestStack;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let gate: Awaited<ReturnType<typeof openGate>>;
beforeEach(async () => {
  stack = await openTestStack({ roles: [gateRole, decisionRole] });
  upstream = await startUpstream();
  await stack.service((one) => startScoring(one, settingsFor(upstream, { upstreamPerSecond: 100 })));
  await stack.service((one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }));
  gate = await openGate(stack);
});
afterEach(async () => {
  await gate.close();
  await stack.close();
  await upstream.close();
});

const age = () => stack.db.pool.query(`UPDATE gate.withdrawals SET decided_at = decided_at - interval '1 hour'`);

test('an aged allow is screened again while the caller waits: with a new lookup, each time anew, and by the result of today', async () => {
  expect((await gate.post({}, 'wait=60')).body).toMatchObject({ status: 'allowed', revision: 1, permit: expect.any(String) });
  await stack.db.pool.query('DELETE FROM gate.permits');
  for (const revision of [2, 3]) {
    await age();
    const answers = await Promise.all(Array.from({ length: 5 }, () => gate.post({}, 'wait=60')));
    for (const { body } of answers) expect(body).toMatchObject({ status: 'allowed', revision, permit: expect.any(String) });
    expect(upstream.creates).toHaveLength(revision);
  }
  await age();
  upstream.answer(() => ({ data: { score: 100, risk_level: 'Severe' } }));
  const { body } = await gate.post({}, 'wait=60');
  expect(body).toMatchObject({ status: 'blocked', revision: 4 });
  expect(body).not.toHaveProperty('permit');
});

test('a receiver that is listed after the allow is blocked when the permit is asked for, or redeemed', async () => {
  await createChainSchema(stack.db.pool);
  const { permit } = (await gate.post({}, 'wait=60')).body;
  await gate.post({ withdrawal_id: 'w-2' }, 'wait=60');
  await stack.db.pool.query(`DELETE FROM gate.permits WHERE withdrawal_id = 'w-2'`);
  await putLabel(stack.db.pool, { address: lowerCase });
  expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
  for (const withdrawal_id of ['w-1', 'w-2']) {
    const { body } = await gate.post({ withdrawal_id }, 'wait=60');
    expect(body).toMatchObject({ status: 'blocked' });
    // The list blocks at once; the third revision adds the evidence of the look-up.
    expect([2, 3]).toContain(body.revision);
  }
});
