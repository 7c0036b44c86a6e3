import { type ScreeningDecided, screeningId } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDecisions, putDecisions } from './decisions.testing.ts';
import { decided, type TestGate } from './gate.testing.ts';

/** Decisions that are committed and unpublished, on either tier. */
export function testCommitted(tier: string, open: () => Promise<{ gate: TestGate; owner: Pool; close: () => Promise<void> }>): void {
  describe(`a decision that is committed and not published, events on ${tier}:`, () => {
    let gate: TestGate;
    let owner: Pool;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ gate, owner, close } = await open());
      await createDecisions(owner);
    });
    afterAll(() => close());

    const commit = (...decisions: readonly ScreeningDecided[]): Promise<void> => putDecisions(owner, ...decisions);

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

    test.each<[string, (id: string) => ScreeningDecided]>([
      ['withdrawal', (id) => ({ ...decided('c-other', 2, 'allow'), screening_id: screeningId('withdrawal', id) })],
      ['kind', (id) => decided(id, 2, 'allow', { kind: 'deposit', screening_id: screeningId('withdrawal', id) })],
    ])('one that is stored under the screening of another %s lets nothing leave', async (what, other) => {
      const id = `c-9-${what}`;
      await gate.settle(id, 'allow');
      const { permit } = (await gate.get(id)).body;
      await commit(other(id));
      expect(await gate.redeem(permit)).toMatchObject({ status: 503 });
      expect((await gate.get(id)).status).toBe(503);
    });

    test('one of a deposit of the same id is none of a withdrawal', async () => {
      await gate.settle('c-5', 'allow');
      const { permit } = (await gate.get('c-5')).body;
      await commit(decided('c-5', 2, 'block', { kind: 'deposit' }));
      expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
    });

    test('a permit counts as revoked once that is committed', async () => {
      const revoked = async (): Promise<string | undefined> =>
        (await gate.pipeline.metrics.scrape()).match(/^weir_permits_total\{result="revoked"\} (\d+)$/m)?.[1];
      await gate.settle('c-7', 'allow');
      const { permit } = (await gate.get('c-7')).body;
      await commit(decided('c-7', 2, 'block'));
      const before = Number((await revoked()) ?? 0);
      await owner.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'crash'; END $$;
        CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON gate.permits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`);
      expect((await gate.redeem(permit)).status).toBeGreaterThanOrEqual(500);
      expect(Number((await revoked()) ?? 0)).toBe(before);
      await owner.query('DROP FUNCTION fail CASCADE');
      expect((await gate.redeem(permit)).status).toBe(410);
      expect(Number(await revoked())).toBe(before + 1);
    });

    test('lets nothing leave while the view of decisions is missing', async () => {
      await gate.settle('c-6', 'allow');
      const { permit } = (await gate.get('c-6')).body;
      await owner.query('ALTER TABLE decision.decided RENAME TO moved');
      for (const answer of [await gate.redeem(permit), await gate.get('c-6')]) {
        expect(answer.status).toBeGreaterThanOrEqual(500);
        expect(JSON.stringify(answer.body)).not.toContain('"permit"');
      }
      await owner.query('ALTER TABLE decision.moved RENAME TO decided');
      expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
    });
  });
}
