import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { markReconciled } from '@weir/service-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reconcilePermits } from '../reconcile.ts';
import { stackForEachTest, type TestGate } from '../gate.testing.ts';
import { Journal } from './journal.ts';

const own = stackForEachTest();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Promise<TestGate> => own.open({ permitJournal: folder });
const lines = (): any[] =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );

async function allowed(gate: TestGate, id: string): Promise<string> {
  await gate.settle(id, 'allow');
  return (await gate.get(id)).body.permit;
}

/** As after a restore to a point before the redemptions. The timeline is that of another history. */
async function forget(...tables: readonly string[]): Promise<void> {
  await own.stack.db.pool.query(`UPDATE gate.permits SET state = 'open', redeemed_at = NULL, redemption_id = NULL`);
  for (const table of tables) await own.stack.db.pool.query(`DELETE FROM ${table}`);
}
const restore = () => own.stack.db.pool.query('UPDATE weir.recovery SET timeline = 0');
const reconcile = async (restored: boolean) => {
  const outcome = await reconcilePermits(own.stack.db.pool, { journal: folder, restored, mend: true });
  await markReconciled(own.stack.db.pool);
  return outcome;
};

test('a redemption is in the journal before its answer, once, and a burst is complete', async () => {
  const gate = await open();
  const ids = Array.from({ length: 20 }, (_, n) => `w-${n}`);
  const permits = await Promise.all(ids.map((id) => allowed(gate, id)));
  const answers = await Promise.all(permits.map((permit, n) => gate.redeem(permit, { redemption_id: `r-${n}` })));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  const journalled = lines();
  expect(new Set(journalled.map(({ withdrawal_id }) => withdrawal_id))).toEqual(new Set(ids));
  expect(journalled).toHaveLength(ids.length);
  for (const { body } of answers)
    expect(journalled).toContainEqual({
      withdrawal_id: body.withdrawal_id,
      permit_id: body.permit_id,
      redeemed_at: body.redeemed_at,
      redemption_id: body.redemption_id,
    });
  expect((await gate.redeem(permits[0] ?? '')).status).toBe(409);
  expect(lines()).toHaveLength(20);
});

test('an answer that tells of a redemption of another replica writes it too', async () => {
  const other = await own.open();
  const permit = await allowed(other, 'w-1');
  expect((await other.redeem(permit, { redemption_id: 'mine' })).status).toBe(200);
  expect(readdirSync(folder)).toEqual([]);
  const gate = await open();
  expect((await gate.redeem(permit)).body).toMatchObject({ status: 409, redemption_id: 'mine' });
  await gate.get('w-1');
  expect(lines()).toMatchObject([{ withdrawal_id: 'w-1', redemption_id: 'mine' }]);
});

test('a permit that a restored database has forgotten is not redeemed again, before and after the reconciliation', async () => {
  const gate = await open();
  const permit = await allowed(gate, 'w-1');
  const first = await gate.redeem(permit, { redemption_id: 'first' });
  expect(first.status).toBe(200);
  await forget();
  await restore();
  for (const answer of [await gate.redeem(permit), await gate.get('w-1'), await gate.post({ withdrawal_id: 'w-1' })])
    expect(answer.body).toMatchObject({ status: 503, code: 'NOT_RECONCILED' });
  expect(await gate.service.unavailable?.()).toEqual(['recovery']);
  expect(gate.service.warnings?.()).toEqual([expect.stringContaining('weir reconcile')]);
  expect(await reconcile(true)).toMatchObject({ forgotten: [{ withdrawal_id: 'w-1' }], twice: [] });
  expect((await gate.redeem(permit)).body).toMatchObject({ status: 409, permit_id: first.body.permit_id, redemption_id: 'first' });
  expect((await gate.get('w-1')).body).toMatchObject({ redeemed: { permit_id: first.body.permit_id } });
  expect(await gate.service.unavailable?.()).toEqual([]);
  expect(await reconcile(false)).toMatchObject({ forgotten: [], revoked: 0, aged: 0 });
});

test('a withdrawal that a restored database does not know gets no second permit', async () => {
  const gate = await open();
  const permit = await allowed(gate, 'w-1');
  expect((await gate.redeem(permit)).status).toBe(200);
  await forget('gate.permits', 'gate.withdrawals', 'intake.transfers');
  await restore();
  await reconcile(true);
  expect((await gate.redeem(permit)).status).toBe(409);
  expect((await gate.get('w-1')).status).toBe(404);
  await gate.settle('w-1', 'allow');
  const { body } = await gate.get('w-1');
  expect(body).toMatchObject({ status: 'allowed', redeemed: expect.any(Object) });
  expect(body).not.toHaveProperty('permit');
});

test('permits and allows from before a restore count no more: a later decision may be forgotten', async () => {
  const gate = await open();
  const permit = await allowed(gate, 'w-1');
  await restore();
  expect(await reconcile(true)).toMatchObject({ forgotten: [], revoked: 1, aged: 1 });
  expect((await gate.redeem(permit)).body).toMatchObject({ code: 'REVOKED' });
  expect((await gate.get('w-1')).body).toMatchObject({ status: 'pending' });
});

test('a journal that is ahead of the database closes the gate at its start, and a torn line does not', async () => {
  const before = await open();
  const permit = await allowed(before, 'w-1');
  await before.redeem(permit);
  await before.stop();
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), '{"withdrawal_id":"w-2","per');
  await (await open()).stop();
  await forget();
  const gate = await open();
  expect((await gate.redeem(permit)).body).toMatchObject({ code: 'NOT_RECONCILED' });
  expect(await reconcile(true)).toMatchObject({ forgotten: [{ withdrawal_id: 'w-1' }], torn: [expect.stringContaining(':3')] });
  expect((await gate.redeem(permit)).status).toBe(409);
  const other = await allowed(gate, 'w-2');
  expect((await gate.redeem(other)).status).toBe(200);
  // The 409 of another process wrote the first a second time.
  expect(await reconcile(false)).toMatchObject({ read: 3, forgotten: [], twice: [] });
});

test('each month has a file, and those that got no line for the days of keeping are removed', async () => {
  const at = new Date();
  const month = (n: number): number => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + n, 1);
  let now = month(1) - 1;
  const options = { clock: { now: () => now }, keepDays: 90 };
  const journal = await Journal.open(folder, options);
  const redeemed = (n: number) => ({
    withdrawal_id: `w-${n}`,
    permit_id: `00000000-0000-4000-8000-00000000000${n}`,
    redeemed_at: '2031-01-01T00:00:00Z',
  });
  await journal.record(redeemed(1));
  now = month(1);
  await journal.record(redeemed(2));
  const names = [0, 1].map((n) => `${hostname()}.${new Date(month(n)).toISOString().slice(0, 7)}.jsonl`);
  expect(readdirSync(folder)).toEqual(names);
  await journal.close();
  const [old = ''] = names;
  utimesSync(join(folder, old), new Date(now), new Date(now - 91 * 86_400_000));
  await (await Journal.open(folder, { ...options, keepDays: 0 })).close();
  expect(readdirSync(folder)).toEqual(names);
  await (await Journal.open(folder, options)).close();
  expect(lines().map(({ withdrawal_id }) => withdrawal_id)).toEqual(['w-2']);
});

test('without a journal the gate warns', async () => {
  const gate = await own.open();
  expect(gate.service.warnings?.()).toEqual([expect.stringContaining('WEIR_PERMIT_JOURNAL')]);
});
