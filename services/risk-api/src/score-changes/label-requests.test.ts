import { answerLabelRequest, insertLabelRequest, type LabelRequest, listLabelRequests } from '@weir/chain-store';
import { address } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChangesWorld, openChangesWorld } from './changes.testing.ts';
import { applyLabelRequests } from './label-requests.ts';

const [ann, ben] = [
  { id: 'reviewer:a', name: 'ann' },
  { id: 'approver:b', name: 'ben' },
];
const label = { chain: 'ethereum', address: address(101), name: 'Mallory', category: 'scam', source: 'our own research' };

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
});
afterEach(() => world.close());

async function request(asked: Pick<LabelRequest, 'action' | 'scope'>, isApproved = true): Promise<void> {
  const { pool } = world.database;
  const { request_id: id } = await insertLabelRequest(pool, { ...asked, reason: 'seen' }, ann, new Date());
  await answerLabelRequest(pool, id, { isApproved, by: ben, at: new Date() });
}
const apply = (): Promise<number> => applyLabelRequests({ pool: world.database.pool, clock: systemClock });
const stored = async (): Promise<unknown> =>
  (await world.database.pool.query('SELECT name, valid_to IS NULL AS is_open FROM chain.labels')).rows;

it('approved changes are applied once, in order, with the person who asked', async () => {
  await request({ action: 'add', scope: label });
  expect([await apply(), await stored()]).toEqual([1, [{ name: 'Mallory', is_open: true }]]);
  await request({ action: 'end', scope: { address: label.address, source: label.source } });
  expect([await apply(), await stored()]).toEqual([1, [{ name: 'Mallory', is_open: false }]]);
  await request({ action: 'withdraw', scope: { source: label.source } });
  expect([await apply(), await stored(), await apply()]).toEqual([1, [], 0]);
  const { rows } = await world.database.pool.query('SELECT action, person, labels::int FROM chain.label_changes ORDER BY id');
  expect(rows).toEqual(['import', 'end', 'withdraw'].map((action) => ({ action, person: 'ann', labels: 1 })));
});

it('a label that cannot be stored fails with the reason, and the next change goes on', async () => {
  await request({ action: 'add', scope: { ...label, address: 'nobody' } });
  await request({ action: 'add', scope: label });
  expect(await apply()).toBe(2);
  const [last, before] = await listLabelRequests(world.database.pool, 2);
  expect([last?.labels, before?.labels, before?.failure]).toEqual([1, null, expect.stringContaining('address')]);
});

it('a rejected change and one that nobody answered change nothing', async () => {
  await request({ action: 'add', scope: label }, false);
  await insertLabelRequest(world.database.pool, { action: 'add', scope: label, reason: 'seen' }, ann, new Date());
  expect([await apply(), await stored()]).toEqual([0, []]);
});
