import { eventId, type ScreeningDecided } from '@weir/contracts';
import { openPool, type Pool, transaction, urlOfRole } from '@weir/postgres';
import { Outbox, roleOf } from '@weir/service-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decided, type TestGate } from './gate.testing.ts';

/** Decisions that are committed and unpublished, on either tier. */
export function testCommitted(tier: string, open: () => Promise<{ gate: TestGate; close: () => Promise<void> }>): void {
  describe(`a decision that is committed and not published, events on ${tier}:`, () => {
    let gate: TestGate;
    let pool: Pool;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ gate, close } = await open());
      pool = openPool({ url: urlOfRole(gate.pipeline.pool.url, roleOf('decision')), max: 1 });
    });
    afterAll(async () => {
      await pool.end();
      await close();
    });

    const idOf = (data: ScreeningDecided): string => eventId('screenings.decided', data.screening_id, data.revision);

    async function store(by: Pool, service: string, events: readonly { id: string; data: ScreeningDecided }[]): Promise<void> {
      const { log, codec } = gate.pipeline;
      // Stored and not yet read by the gate, on PostgreSQL too.
      const outbox = new Outbox({ pool: by, log: { publish: (records) => log.publish(records) }, codec, service });
      const all = events.map(({ id, data }) => ({
        topic: 'screenings.decided' as const,
        id,
        key: data.transfer.source_id,
        screeningId: data.screening_id,
        time: data.decided_at,
        data,
      }));
      await transaction(by, (tx) => outbox.store(tx, all));
    }

    /** Like the decision service before publishing. */
    async function commit(...decisions: readonly ScreeningDecided[]): Promise<void> {
      await store(
        pool,
        'decision',
        decisions.map((data) => ({ id: idOf(data), data })),
      );
    }

    /** An attack by scoring: its own name, with the id of decision's event. */
    async function forge(data: ScreeningDecided): Promise<void> {
      const scoring = openPool({ url: urlOfRole(gate.pipeline.pool.url, roleOf('scoring')), max: 1 });
      try {
        await store(scoring, 'scoring', [{ id: idOf(data), data }]);
      } finally {
        await scoring.end();
      }
    }

    test('a block stops a permit that was issued', async () => {
      await gate.settle('c-1', 'allow');
      const { permit } = (await gate.get('c-1')).body;
      await commit(decided('c-1', 2, 'block'));
      expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });
      expect((await gate.get('c-1')).body).toMatchObject({ status: 'blocked', revision: 2 });
    });

    test('a block stops the issue of a permit, and of one that is good', async () => {
      await gate.settle('c-2', 'allow');
      await commit(decided('c-2', 2, 'block'));
      const first = (await gate.get('c-2')).body;
      expect(first).toMatchObject({ status: 'blocked', revision: 2 });
      expect(first).not.toHaveProperty('permit');
      await gate.settle('c-3', 'allow');
      expect((await gate.get('c-3')).body).toMatchObject({ status: 'allowed', permit: expect.any(String) });
      await commit(decided('c-3', 2, 'review'));
      const second = (await gate.get('c-3')).body;
      expect(second).toMatchObject({ status: 'held', revision: 2 });
      expect(second).not.toHaveProperty('permit');
    });

    test('the latest of many counts, and what is read again later changes nothing', async () => {
      await gate.settle('c-4', 'allow');
      const { permit } = (await gate.get('c-4')).body;
      const later = Array.from({ length: 20 }, (_, n) => decided('c-4', n + 2, n === 19 ? 'allow' : 'block'));
      await commit(...later);
      expect(await gate.redeem(permit)).toMatchObject({ status: 410 });
      const { body } = await gate.get('c-4');
      expect(body).toMatchObject({ status: 'allowed', revision: 21, permit: expect.any(String) });
      await gate.decide(...later);
      expect((await gate.get('c-4')).body).toMatchObject({ status: 'allowed', revision: 21, permit: body.permit });
      expect(await gate.redeem(body.permit)).toMatchObject({ status: 200 });
    });

    test('one that another service stored under its derived id counts for nothing, and does not keep the real one out', async () => {
      await gate.settle('c-6', 'block');
      await forge(decided('c-6', 2, 'allow'));
      await gate.post({ withdrawal_id: 'c-6' });
      const body = (await gate.get('c-6')).body;
      expect(body).toMatchObject({ status: 'blocked', revision: 1 });
      expect(body).not.toHaveProperty('permit');

      await gate.settle('c-7', 'allow');
      const { permit } = (await gate.get('c-7')).body;
      await forge(decided('c-7', 2, 'allow'));
      await commit(decided('c-7', 2, 'block'));
      expect(await gate.redeem(permit)).toMatchObject({ status: 410, body: { code: 'REVOKED' } });

      await gate.settle('c-8', 'allow');
      const good = (await gate.get('c-8')).body.permit;
      await forge(decided('c-8', 2, 'block'));
      expect(await gate.redeem(good)).toMatchObject({ status: 200 });
      expect((await gate.get('c-8')).body).toMatchObject({ status: 'allowed', revision: 1 });
    });

    test.each<[string, (id: string) => ScreeningDecided]>([
      ['withdrawal', () => decided('c-other', 2, 'allow')],
      ['revision', (id) => decided(id, 3, 'allow')],
      ['kind', (id) => decided(id, 2, 'allow', { kind: 'deposit' })],
    ])('one that is stored under the id of another %s lets nothing leave', async (what, other) => {
      const id = `c-9-${what}`;
      const data = other(id);
      await gate.settle(id, 'allow');
      const { permit } = (await gate.get(id)).body;
      await store(pool, 'decision', [{ id: idOf(decided(id, 2, 'allow')), data }]);
      expect(await gate.redeem(permit)).toMatchObject({ status: 503 });
      expect((await gate.get(id)).status).toBe(503);
    });

    test('one of a deposit of the same id is none of a withdrawal', async () => {
      await gate.settle('c-5', 'allow');
      const { permit } = (await gate.get('c-5')).body;
      await commit(decided('c-5', 2, 'block', { kind: 'deposit' }));
      expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
    });
  });
}
