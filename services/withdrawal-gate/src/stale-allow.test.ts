import { createChainSchema, putLabel } from '@weir/chain-store/testing';
import { eventId, screeningId } from '@weir/contracts';
import { openTestStack, type TestStack, readTopic } from '@weir/service-kit/testing';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decided, gateRole, lowerCase, mixedCase, openGate, type TestGate } from './gate.testing.ts';

let stack: TestStack;
let gates: [TestGate & { close(): Promise<void> }, TestGate & { close(): Promise<void> }];
beforeEach(async () => {
  stack = await openTestStack({ roles: [gateRole] });
  gates = [await openGate(stack), await openGate(stack)];
});
afterEach(async () => {
  for (const gate of gates) await gate.close();
  await stack.close();
});

const maxAgeMs = 900_000;
const anHourAgo = (): Partial<Parameters<typeof decided>[3]> => ({ decided_at: Date.now() - 4 * maxAgeMs });

/** Requests for a new screening, without repeats. */
async function renewals(id: string): Promise<{ id: string; revision: number | null; lane: string }[]> {
  const all = await readTopic(gates[0].pipeline, 'screenings.requested');
  const ours = all.filter(({ data }) => data.transfer.source_id === id && data.renews_revision !== null);
  return [...new Map(ours.map((one) => [one.id, { id: one.id, revision: one.data.renews_revision, lane: one.data.lane }])).values()];
}

const states = async (id: string): Promise<unknown[]> =>
  (await stack.db.pool.query<{ state: string }>('SELECT state FROM gate.permits WHERE withdrawal_id = $1', [id])).rows.map(
    ({ state }) => state,
  );

describe('an aged allow', () => {
  test('gets no permit: however many ask, the withdrawal is screened again once, and the next allow gives one', async () => {
    const [gate, other] = gates;
    await gate.post({ withdrawal_id: 'w-1' });
    await gate.decide(decided('w-1', 1, 'allow', anHourAgo()));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const replica = n % 2 === 0 ? gate : other;
        return n % 3 === 0 ? replica.post({ withdrawal_id: 'w-1' }) : replica.get('w-1');
      }),
    );
    for (const { status, body } of answers) {
      expect([200, 202]).toContain(status);
      expect(body).toMatchObject({ status: 'pending', revision: 1 });
      expect(body).not.toHaveProperty('permit');
    }
    const id = eventId('screenings.requested', screeningId('withdrawal', 'w-1'), 'renews', 1);
    expect(await renewals('w-1')).toEqual([{ id, revision: 1, lane: 'withdrawal' }]);
    await gate.decide(decided('w-1', 2, 'allow'));
    const { permit } = (await gate.get('w-1')).body;
    expect(decodeJwt(permit)).toMatchObject({ revision: 2 });
    expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
    expect(await renewals('w-1')).toHaveLength(1);
  });

  test('of which a permit was redeemed stays as it was', async () => {
    const [gate] = gates;
    await gate.settle('w-1', 'allow');
    await gate.redeem((await gate.get('w-1')).body.permit);
    await stack.db.pool.query(`UPDATE gate.withdrawals SET decided_at = decided_at - interval '1 hour'`);
    expect((await gate.get('w-1')).body).toMatchObject({ status: 'allowed', redeemed: { permit_id: expect.any(String) } });
    expect(await renewals('w-1')).toEqual([]);
  });

  test('is pending for those who only read, who have nothing screened again', async () => {
    const [gate] = gates;
    await gate.post({ withdrawal_id: 'w-1' });
    await gate.decide(decided('w-1', 1, 'allow', anHourAgo()));
    expect((await gate.ask('GET', '/v1/withdrawals/w-1', { role: 'auditor' })).body).toMatchObject({ status: 'pending' });
    expect(await renewals('w-1')).toEqual([]);
  });

  test('is not made younger by a clock of decision that is ahead', async () => {
    const [gate] = gates;
    await gate.post({ withdrawal_id: 'w-1' });
    await gate.decide(decided('w-1', 1, 'allow', { decided_at: Date.now() + 4 * maxAgeMs }));
    const { rows } = await stack.db.pool.query('SELECT decided_at <= clock_timestamp() AS is_past FROM gate.withdrawals');
    expect(rows).toEqual([{ is_past: true }]);
  });

  test('whose withdrawal is held or blocked when screened again gives no permit, and its earlier one is revoked', async () => {
    const [gate] = gates;
    for (const action of ['review', 'block'] as const) {
      const id = `w-${action}`;
      await gate.settle(id, 'allow');
      const { permit } = (await gate.get(id)).body;
      await stack.db.pool.query(`UPDATE gate.withdrawals SET decided_at = decided_at - interval '1 hour'`);
      expect((await gate.get(id)).body).toMatchObject({ status: 'pending' });
      await gate.decide(decided(id, 2, action));
      expect((await gate.get(id)).body).toMatchObject({ status: action === 'block' ? 'blocked' : 'held' });
      expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    }
  });
});

describe('an address that is listed after the allow', () => {
  test('gets no permit, and is screened again once', async () => {
    const [gate] = gates;
    await gate.settle('w-1', 'allow');
    await createChainSchema(stack.db.pool);
    await putLabel(stack.db.pool, { address: lowerCase });
    for (const { body } of [await gate.get('w-1'), await gate.post({ withdrawal_id: 'w-1' }), await gate.get('w-1')]) {
      expect(body).toMatchObject({ status: 'pending' });
      expect(body).not.toHaveProperty('permit');
    }
    expect(await renewals('w-1')).toMatchObject([{ revision: 1 }]);
    expect(await states('w-1')).toEqual([]);
    await gate.decide(decided('w-1', 2, 'block', { reason_codes: ['LOCAL_SANCTIONS_MATCH'] }));
    expect((await gate.get('w-1')).body).toMatchObject({ status: 'blocked' });
  });

  test.each(['with no list before', 'with other lists before'])('its permit is refused at redemption and revoked, %s', async (which) => {
    const [gate, other] = gates;
    if (which !== 'with no list before') {
      await createChainSchema(stack.db.pool);
      await putLabel(stack.db.pool, { address: `0x${'1'.repeat(40)}` });
    }
    await gate.settle('w-1', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    if (which === 'with no list before') await createChainSchema(stack.db.pool);
    await putLabel(stack.db.pool, { address: lowerCase, category: 'Sanctions' });
    const answers = await Promise.all([gate, other].map((replica) => replica.redeem(permit, { to_address: mixedCase })));
    for (const answer of answers) expect(answer).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    expect(await states('w-1')).toEqual(['revoked']);
    expect(await renewals('w-1')).toMatchObject([{ revision: 1 }]);
    expect((await gate.get('w-1')).body).toMatchObject({ status: 'pending' });
    // After the delisting, an allow gives a permit again.
    await putLabel(stack.db.pool, { address: lowerCase, category: 'Sanctions', valid_to: new Date(Date.now() - 1_000) });
    await gate.decide(decided('w-1', 2, 'allow'));
    expect(await gate.redeem((await gate.get('w-1')).body.permit)).toMatchObject({ status: 200 });
    expect(await gate.redeem(permit)).toMatchObject({ status: 409 });
  });

  test('on another EVM chain was free: it gets no permit, and one that it has is revoked', async () => {
    const [gate] = gates;
    await createChainSchema(stack.db.pool);
    await gate.settle('w-1', 'allow');
    await gate.settle('w-2', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    await putLabel(stack.db.pool, { address: lowerCase, chain: 'base' });
    expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
    const { body } = await gate.get('w-2');
    expect(body).toMatchObject({ status: 'pending' });
    expect(body).not.toHaveProperty('permit');
    for (const id of ['w-1', 'w-2']) expect(await renewals(id)).toMatchObject([{ revision: 1 }]);
  });

  test('and a permit that was redeemed before is 409, as ever', async () => {
    const [gate] = gates;
    await gate.settle('w-1', 'allow');
    const { permit } = (await gate.get('w-1')).body;
    await gate.redeem(permit);
    await createChainSchema(stack.db.pool);
    await putLabel(stack.db.pool, { address: lowerCase });
    expect(await gate.redeem(permit)).toMatchObject({ status: 409 });
    expect(await renewals('w-1')).toEqual([]);
  });

  test('other labels of the receiver stop nothing', async () => {
    const [gate] = gates;
    await createChainSchema(stack.db.pool);
    await putLabel(stack.db.pool, { address: lowerCase, category: 'exchange' });
    await putLabel(stack.db.pool, { address: lowerCase, confidence: 0.4 });
    await putLabel(stack.db.pool, { address: lowerCase, source: 'ended', valid_to: new Date(Date.now() - 1_000) });
    await gate.settle('w-1', 'allow');
    expect(await gate.redeem((await gate.get('w-1')).body.permit)).toMatchObject({ status: 200 });
  });
});
