import { expect } from 'vitest';
import { type Answer, type TestGate, terms } from './gate.testing.ts';

/**
 * While a dependency is unavailable, an allowed withdrawal gets 503, a new one "pending" without a wait.
 * The gate returns, issues and redeems no permit.
 */
export async function expectRefusing(gate: TestGate, options: { allowed: string; permit: string }): Promise<void> {
  const { allowed, permit } = options;
  const calls: [number, () => Promise<Answer>][] = [
    [503, () => gate.get(allowed)],
    [503, () => gate.ask('GET', `/v1/withdrawals/${allowed}`, { role: 'auditor' })],
    [503, () => gate.post({ withdrawal_id: allowed }, 'wait=60')],
    [503, () => gate.redeem(permit)],
    [202, () => gate.post({ withdrawal_id: `new-${crypto.randomUUID()}` }, 'wait=60')],
  ];
  for (const [status, call] of calls) {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(status === 503 ? { code: 'UNAVAILABLE' } : { status: 'pending' });
    expect(JSON.stringify(answer.body)).not.toMatch(/allowed|"permit"/);
  }
}

/** After the outage: the same permit, redeemed once. */
export async function expectPermitting(gate: TestGate, options: { allowed: string; permit: string }): Promise<void> {
  expect((await gate.get(options.allowed)).body).toMatchObject({ status: 'allowed', permit: options.permit });
  expect((await gate.redeem(options.permit, terms)).status).toBe(200);
  expect((await gate.redeem(options.permit, terms)).status).toBe(409);
}
