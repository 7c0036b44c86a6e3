import { tamper } from '@weir/permit/testing';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gateRole, gateSettings, openGate, terms } from './gate.testing.ts';
import { createSeal } from './permits/seal.ts';

let stack: TestStack;
let gate: Awaited<ReturnType<typeof openGate>>;
let permit: string;
let claims: JWTPayload;
beforeAll(async () => {
  stack = await openTestStack({ roles: [gateRole] });
  gate = await openGate(stack);
  await gate.settle('w-1', 'allow');
  ({ permit } = (await gate.get('w-1')).body);
  claims = decodeJwt(permit);
});
afterAll(async () => {
  await gate.close();
  await stack.close();
});

test('whatever is done to a permit, the gate does not redeem it, and the permit itself stays good', async () => {
  const jwks = await gate.ask('GET', '/.well-known/jwks.json', { role: '' });
  const attempts = await tamper(permit, jwks.body.keys[0]);
  const answers: Record<string, number> = {};
  for (const [what, attempt] of attempts) {
    // With the attempt's own terms, so that nothing else is wrong.
    const named = claimsOf(attempt);
    const { status, body } = await gate.redeem(attempt, named);
    expect([what, status, body.code]).toEqual([what, 422, 'NOT_VERIFIABLE']);
    answers[body.code] = (answers[body.code] ?? 0) + 1;
  }
  process.stdout.write(`${attempts.length} attempts: ${JSON.stringify(answers)}\n`);
  expect((await gate.get('w-1')).body.permit).toBe(permit);
});

function claimsOf(attempt: string): Record<string, string> {
  try {
    const { chain, coin, to_address, amount } = decodeJwt(attempt) as typeof terms;
    const named = Object.entries({ chain, coin, to_address, amount }).filter(([, value]) => typeof value === 'string' && value !== '');
    return Object.fromEntries(named);
  } catch {
    return {};
  }
}

test.each<[string, string]>([
  ['chain', 'tron'],
  ['coin', 'USDC-ERC20'],
  ['to_address', `0x${'1'.repeat(40)}`],
  ['to_address', 'nowhere'],
  ['amount', '10.000000000000000001'],
  ['amount', '1e1'],
  ['amount', '-10'],
  ['memo', '7'],
])('for another %s (%s) it is not redeemed', async (field, value) => {
  expect(await gate.redeem(permit, { [field]: value })).toMatchObject({ status: 422, body: { code: 'MISMATCH', field } });
});

test('signed by the gate’s own key and never issued: not redeemed either', async () => {
  // Signed with the real key: another id, another expiry, another amount.
  const { rows } = await stack.db.pool.query<{ kid: string; private_key: string }>('SELECT kid, private_key FROM gate.keys');
  const { CompactSign, importJWK } = await import('jose');
  const sealed = await createSeal([gateSettings().permitKeySecret]).open(rows[0]?.private_key ?? '');
  const key = await importJWK(sealed ?? {}, 'EdDSA');
  for (const over of [
    { jti: crypto.randomUUID() },
    { exp: (claims.exp ?? 0) + 1_000 },
    { amount: '11' },
    { revision: 2 },
    { sub: 'w-2' },
  ]) {
    const payload = new TextEncoder().encode(JSON.stringify({ ...claims, ...over }));
    const forged = await new CompactSign(payload)
      .setProtectedHeader({ alg: 'EdDSA', kid: rows[0]?.kid ?? '', typ: 'weir-permit+jwt' })
      .sign(key);
    const amount = (over as { amount?: string }).amount ?? terms.amount;
    expect(await gate.redeem(forged, { amount })).toMatchObject({ status: 422, body: { code: 'NOT_VERIFIABLE' } });
  }
});

test('after all that the permit is redeemed', async () => {
  expect(await gate.redeem(permit)).toMatchObject({ status: 200, body: { withdrawal_id: 'w-1' } });
});
