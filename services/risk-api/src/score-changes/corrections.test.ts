import { address } from '@weir/chain-store/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, type ChangesWorld, openChangesWorld } from './changes.testing.ts';
import { endLabels, withdrawLabels } from './imports.ts';

const [thief, subject, bystander] = [101, 102, 103];
const why = { reason: 'the publisher took it back', person: 'ann' };

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
  await world.transfers([
    [thief, subject, 100],
    [subject, bystander, 1],
  ]);
});
afterEach(() => world.close());

it.each<[string, () => Promise<number>]>([
  ['is withdrawn', () => withdrawLabels(world.database.pool, { source: 'a wrong list' }, why)],
  [
    'is ended',
    () => endLabels(world.database.pool, { addresses: [address(thief)], source: 'a wrong list', category: undefined, at: undefined }, why),
  ],
])('a label that %s changes the scores that read it back to what they were', async (_how, correct) => {
  const before = await world.score(addressOf(subject));
  await world.label(thief, { source: 'a wrong list' });
  await world.settle();
  expect((await world.score(addressOf(subject))).score).toBeGreaterThan(before.score);
  expect(await correct()).toBe(1);
  expect(await world.settle()).toBeGreaterThan(0);
  expect(await world.cached(addressOf(subject))).toBeUndefined();
  expect(await world.score(addressOf(subject))).toEqual(before);
});
