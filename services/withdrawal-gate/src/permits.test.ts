import type { Transfer } from '@weir/contracts';
import { localKeys, type PermitClaims, verifyPermit } from '@weir/permit';
import { caughtUp, publishTo, readTopic } from '@weir/service-kit/testing';
import { decodeJwt } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { decided, lowerCase, mixedCase, stackForEachTest, terms, withdrawal } from './gate.testing.ts';

const tested = stackForEachTest();
const { open } = tested;

const counted = async ({ pipeline }: Awaited<ReturnType<typeof open>>): Promise<Record<string, number>> => {
  const metric = await pipeline.metrics.registry.getSingleMetric('weir_permits_total')?.get();
  return Object.fromEntries((metric?.values ?? []).filter(({ value }) => value > 0).map(({ labels, value }) => [labels.result, value]));
};

test('a withdrawal that is allowed has a permit that verifies with the published keys, and is redeemed once', async () => {
  const gate = await open();
  await gate.settle('w-1', 'allow');
  const { status, body, headers } = await gate.get('w-1');
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({ withdrawal_id: 'w-1', status: 'allowed', revision: 1, permit: expect.any(String) });
  const claims = decodeJwt(body.permit) as unknown as PermitClaims;
  expect(claims).toMatchObject({ iss: 'weir', sub: 'w-1', ...terms, screening_id: body.screening_id, revision: 1 });
  expect(claims.exp - claims.iat).toBeGreaterThanOrEqual(300);
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(301);

  const jwks = await gate.ask('GET', '/.well-known/jwks.json', { role: '' });
  expect([jwks.headers.get('content-type'), jwks.headers.get('cache-control')]).toEqual([
    'application/jwk-set+json',
    'public, max-age=300',
  ]);
  expect(jwks.body.keys).toEqual([
    { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', x: expect.any(String), kid: expect.any(String) },
  ]);
  const verified = await verifyPermit(body.permit, {
    keys: localKeys(jwks.body),
    issuer: 'weir',
    expected: { withdrawal_id: 'w-1', ...terms, to_address: mixedCase, amount: '10.00' },
    now: Date.now(),
  });
  expect(verified).toEqual({ ok: true, permit: claims });

  const redeemed = await gate.redeem(body.permit, { to_address: mixedCase, amount: '10.000', redemption_id: 'signer-1' });
  expect([redeemed.status, redeemed.body]).toEqual([
    200,
    {
      withdrawal_id: 'w-1',
      screening_id: body.screening_id,
      revision: 1,
      permit_id: claims.jti,
      redeemed_at: expect.any(String),
      redemption_id: 'signer-1',
    },
  ]);
  const { permit_id, redeemed_at } = redeemed.body;
  const again = await gate.redeem(body.permit);
  // A caller that missed the 200 finds its own redemption_id here.
  expect([again.status, again.body]).toMatchObject([409, { code: 'REDEEMED_BEFORE', permit_id, redeemed_at, redemption_id: 'signer-1' }]);
  // No caller ever gets another permit.
  for (const answer of [await gate.get('w-1'), await gate.post()]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'allowed', redeemed: { permit_id, redeemed_at } });
    expect(answer.body).not.toHaveProperty('permit');
  }
  expect(await counted(gate)).toEqual({ issued: 1, redeemed: 1, refused_redeemed: 1 });
});

test.each([{ coin: 'usdt-erc20' }, { coin: 'USDT-Ethereum' }, { coin: 'usdt', chain: 'ERC20' }, { coin: 'USDT', chain: 'Ethereum' }])(
  'is redeemed with the coin and chain as a withdrawal may name them: %j',
  async (named) => {
    const gate = await open();
    await gate.settle('w-1', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    expect(await gate.redeem(permit, { ...named, chain: 'tron' })).toMatchObject({ status: 422, body: { field: 'chain' } });
    expect(await gate.redeem(permit, { ...named, coin: 'usdc' })).toMatchObject({ status: 422, body: { field: 'coin' } });
    expect((await gate.redeem(permit, named)).status).toBe(200);
  },
);

test('while it is good the permit is the same, byte for byte, from two replicas asked at once', async () => {
  const two = [await open(), await open()] as const;
  await two[0].settle('w-1', 'allow');
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? two[0].post() : two[(n % 2) as 0 | 1].get('w-1'))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.permit)).size).toBe(1);
  expect((await tested.stack.db.pool.query('SELECT FROM gate.permits')).rowCount).toBe(1);
});

test('after its time it is 410, a new one is issued for the same decision, and only one of all is redeemed', async () => {
  const gate = await open({ permitTtlMs: 400 });
  await gate.settle('w-1', 'allow');
  const first = (await gate.get('w-1')).body.permit;
  await vi.waitFor(async () => expect((await gate.get('w-1')).body.permit).not.toBe(first), { timeout: 5_000 });
  // The second permit replaces the first.
  expect(await gate.redeem(first)).toMatchObject({ status: 410, body: { code: 'EXPIRED' } });
  await tested.stack.db.pool.query("UPDATE gate.permits SET expires_at = clock_timestamp() - interval '1 ms'");
  const second = (await gate.get('w-1')).body.permit;
  await tested.stack.db.pool.query("UPDATE gate.permits SET expires_at = clock_timestamp() - interval '1 ms'");
  expect(await gate.redeem(second)).toMatchObject({ status: 410, body: { code: 'EXPIRED' } });
  await tested.stack.db.pool.query("UPDATE gate.permits SET expires_at = clock_timestamp() + interval '1 hour'");
  expect(await gate.redeem(second)).toMatchObject({ status: 200 });
  expect(await gate.redeem(first)).toMatchObject({ status: 409 });
  expect((await tested.stack.db.pool.query('SELECT FROM gate.permits')).rowCount).toBe(1);
});

describe('a later revision', () => {
  test.each(['block', 'review'] as const)('that says %s withdraws the permit, and a later allow gives another', async (action) => {
    const gate = await open();
    await gate.settle('w-1', 'allow');
    const first = (await gate.get('w-1')).body.permit;
    await gate.decide(decided('w-1', 2, action));
    expect(await gate.redeem(first)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    const now = await gate.get('w-1');
    expect(now.body).toMatchObject({ status: action === 'block' ? 'blocked' : 'held', revision: 2 });
    expect(now.body).not.toHaveProperty('permit');
    await gate.decide(decided('w-1', 3, 'allow'));
    const second = (await gate.get('w-1')).body.permit;
    expect(decodeJwt(second)).toMatchObject({ revision: 3 });
    expect(await gate.redeem(first)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    expect(await gate.redeem(second)).toMatchObject({ status: 200 });
    expect(await gate.redeem(first)).toMatchObject({ status: 409 });
  });

  test('that allows leaves the permit as it is', async () => {
    const gate = await open();
    await gate.settle('w-1', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    await gate.decide(decided('w-1', 2, 'allow'));
    expect((await gate.get('w-1')).body).toMatchObject({ revision: 2, permit });
    expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
  });

  test('withdraws also when it comes after its own successor, or in one batch with it', async () => {
    const gate = await open();
    for (const order of [
      [3, 2],
      [2, 3],
    ]) {
      const id = `w-${order.join()}`;
      await gate.settle(id, 'allow');
      const { permit } = (await gate.get(id)).body;
      await publishTo(
        gate.pipeline,
        'screenings.decided',
        ...order.map((revision) => decided(id, revision, revision === 2 ? 'block' : 'allow')),
      );
      await caughtUp(gate.pipeline, 'withdrawal-gate.decisions');
      expect((await gate.get(id)).body).toMatchObject({ status: 'allowed', revision: 3 });
      expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    }
  });

  test('that comes too late is told: what has left has left', async () => {
    const gate = await open();
    await gate.settle('w-1', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    await gate.redeem(permit);
    await gate.decide(decided('w-1', 2, 'block'));
    await gate.decide(decided('w-1', 2, 'block'));
    expect(await gate.redeem(permit)).toMatchObject({ status: 409 });
    expect((await gate.get('w-1')).body).toMatchObject({ status: 'blocked', redeemed: { permit_id: expect.any(String) } });
    expect(await counted(gate)).toMatchObject({ superseded: 1 });
  });

  test('and a redeem at the same time: one of the two is first, and both agree which', async () => {
    const gate = await open();
    const results: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const id = `race-${n}`;
      await gate.settle(id, 'allow');
      const { permit } = (await gate.get(id)).body;
      const [redeemed] = await Promise.all([gate.redeem(permit), publishTo(gate.pipeline, 'screenings.decided', decided(id, 2, 'block'))]);
      await caughtUp(gate.pipeline, 'withdrawal-gate.decisions');
      const { rows } = await tested.stack.db.pool.query('SELECT state, superseded_by FROM gate.permits WHERE withdrawal_id = $1', [id]);
      expect(rows).toEqual([{ state: redeemed.status === 200 ? 'redeemed' : 'revoked', superseded_by: 2 }]);
      expect([200, 410]).toContain(redeemed.status);
      results.push(String(redeemed.status));
    }
    process.stdout.write(`redeemed against block: ${results.join(' ')}\n`);
  });
});

test('a gate that starts tells nobody "allowed" before it has heard what was decided while it was away', async () => {
  const before = await open();
  await before.settle('w-1', 'allow');
  const { permit } = (await before.get('w-1')).body;
  await before.stop();
  const { pool } = tested.stack.db;
  await publishTo(await tested.stack.pipeline(), 'screenings.decided', decided('w-1', 2, 'block'));
  // Delays the application of the decision.
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query("SELECT FROM gate.withdrawals WHERE withdrawal_id = 'w-1' FOR UPDATE");
  try {
    const gate = await open();
    for (let n = 0; n < 3; n += 1) expect(await gate.get('w-1')).toMatchObject({ status: 503 });
    expect(await gate.redeem(permit)).toMatchObject({ status: 503 });
    expect((await gate.post({ withdrawal_id: 'w-2' })).body).toMatchObject({ status: 'pending' });
    await holder.query('ROLLBACK');
    await vi.waitFor(async () => expect((await gate.get('w-1')).body).toMatchObject({ status: 'blocked', revision: 2 }), 20_000);
    await vi.waitFor(async () => expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } }), 20_000);
    await gate.decide(decided('w-2', 1, 'allow'));
    expect((await gate.get('w-2')).body).toMatchObject({ status: 'allowed', permit: expect.any(String) });
  } finally {
    holder.release(true);
  }
});

test('1,000 redeems of 50 permits at once, by two replicas: 50 succeed', async () => {
  const two = [await open(), await open()] as const;
  const ids = Array.from({ length: 50 }, (_, n) => `many-${n}`);
  await Promise.all(ids.map((id) => two[0].post({ withdrawal_id: id })));
  await two[0].decide(...ids.map((id) => decided(id, 1, 'allow')));
  const permits = await Promise.all(ids.map(async (id, n) => (await two[(n % 2) as 0 | 1].get(id)).body.permit as string));
  const began = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => (await two[(n % 2) as 0 | 1].redeem(permits[n % 50] ?? '')).status),
  );
  const ms = Math.round(performance.now() - began);
  const ok = statuses.filter((status) => status === 200).length;
  process.stdout.write(`1,000 redeems of 50 permits in ${ms} ms: ${ok} × 200, ${statuses.filter((s) => s === 409).length} × 409\n`);
  expect([ok, statuses.filter((status) => status === 409).length]).toEqual([50, 950]);
  const { rows } = await tested.stack.db.pool.query('SELECT withdrawal_id FROM gate.permits WHERE state = $1', ['redeemed']);
  expect(rows).toHaveLength(50);
  expect((await counted(two[0]))['redeemed'] ?? 0).toBe(50 - ((await counted(two[1]))['redeemed'] ?? 0));
  // Enough for a busy machine.
});

describe('no permit', () => {
  test.each<[string, Partial<Transfer>]>([
    ['amount', { amount: '11' }],
    ['user', { user_id: 'u-2' }],
    ['value', { usd_value: '1' }],
    ['value, which is unknown', { usd_value: null }],
  ])('for what was decided with another %s than was asked for', async (_, over) => {
    const gate = await open();
    await gate.post();
    const other = decided('w-1', 1, 'allow');
    await gate.decide({ ...other, transfer: { ...other.transfer, ...over } });
    const { body } = await gate.get('w-1');
    expect(body).toMatchObject({ status: 'held' });
    expect(body).not.toHaveProperty('permit');
  });

  test('and no word of what nobody has asked for, though it was decided', async () => {
    const gate = await open();
    await gate.decide(decided('w-9', 1, 'allow'));
    expect(await gate.get('w-9')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await gate.post({ withdrawal_id: 'w-9' })).body).toMatchObject({ status: 'allowed', permit: expect.any(String) });
  });

  test('for those who only read', async () => {
    const gate = await open();
    await gate.settle('w-1', 'allow');
    for (const role of ['auditor', 'reviewer', 'approver']) {
      const { status, body } = await gate.ask('GET', '/v1/withdrawals/w-1', { role });
      expect([status, body.status, body.permit]).toEqual([200, 'allowed', undefined]);
    }
    expect((await tested.stack.db.pool.query('SELECT FROM gate.permits')).rowCount).toBe(0);
    expect((await gate.ask('GET', '/v1/withdrawals/w-1', { role: 'admin' })).body.permit).toEqual(expect.any(String));
  });
});

test('a withdrawal told by topic is visible the same way, and normalised', async () => {
  const gate = await open();
  await publishTo(gate.pipeline, 'withdrawals.requested', withdrawal);
  await caughtUp(gate.pipeline, 'withdrawal-gate');
  expect((await gate.get('w-1')).body).toMatchObject({ status: 'pending' });
  await gate.decide(decided('w-1', 1, 'allow'));
  expect(decodeJwt((await gate.get('w-1')).body.permit)).toMatchObject({ to_address: lowerCase, amount: '10' });
  expect((await readTopic(gate.pipeline, 'screenings.requested')).length).toBeGreaterThan(0);
});

test('what a person allows of a coin nobody knows leaves with a permit as well', async () => {
  const gate = await open();
  const over = { coin: 'XYZ', to_address: 'somewhere "else"' };
  await publishTo(gate.pipeline, 'withdrawals.requested', { ...withdrawal, ...over });
  await caughtUp(gate.pipeline, 'withdrawal-gate');
  const base = decided('w-1', 2, 'allow', { outcome: 'UNSUPPORTED', reason_codes: ['REVIEWED'] });
  await gate.decide({ ...base, transfer: { ...base.transfer, ...over, chain: '' } });
  const { permit } = (await gate.get('w-1')).body;
  expect(await gate.redeem(permit, { ...over, chain: 'ethereum' })).toMatchObject({ status: 422, body: { field: 'chain' } });
  expect(await gate.redeem(permit, { ...over, chain: '' })).toMatchObject({ status: 200 });
});
