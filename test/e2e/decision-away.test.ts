import { startDecision } from '@weir/decision';
import { startUpstream } from '@weir/risk-client/testing';
import { startScoring } from '@weir/scoring';
import { createApp, createLogger, serve, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, readTopic } from '@weir/service-kit/testing';
import { startWithdrawalGate } from '@weir/withdrawal-gate';
import { expect, test, vi } from 'vitest';
import { gateSettings } from '../../services/withdrawal-gate/src/gate.testing.ts';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';

test('while the decision service is away a withdrawal that is scored stays pending; when it is back it is allowed', async () => {
  const upstream = await startUpstream();
  const stack = await openTestStack();
  const { service, pipeline } = await stack.service((one) => startWithdrawalGate(one, gateSettings()));
  await stack.service((one) => startScoring(one, settingsFor(upstream)));
  await storeToken(stack.db.pool, 'token-gate', 'gate', 'gate');
  const app = createApp(createLogger({ service: 'test', level: 'silent' }), service.operations);
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  const post = async (wait: number): Promise<{ status: number; body: { status: string; permit?: string } }> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/withdrawals`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-gate', 'content-type': 'application/json', prefer: `wait=${wait}` },
      body: JSON.stringify({ withdrawal_id: 'w-1', coin: 'ETH', to_address: `0x${'c'.repeat(40)}`, amount: '1' }),
    });
    return { status: answer.status, body: (await answer.json()) as { status: string; permit?: string } };
  };
  try {
    expect((await post(0)).status).toBe(202);
    await vi.waitFor(async () => expect(await readTopic(pipeline, 'screenings.scored')).toHaveLength(1), 20_000);
    expect(await post(2)).toMatchObject({ status: 202, body: { status: 'pending' } });
    const waiting = post(50);
    await stack.service((one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }));
    await caughtUp(pipeline, 'withdrawal-gate.decisions');
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'allowed', permit: expect.any(String) } });
  } finally {
    await server.close(0);
    await stack.close();
    await upstream.close();
  }
});
