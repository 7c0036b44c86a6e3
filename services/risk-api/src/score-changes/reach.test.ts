import { address } from '@weir/chain-store/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Subject } from '../subject.ts';
import { addressOf, type ChangesWorld, clocksAgreeMs, nameOf, openChangesWorld, txidOf } from './changes.testing.ts';

/** The address whose label changes, and its surroundings. */
const [x, hop1, hop2, hop3, sender, sibling, customer, far, service, small, dust, dusty, other, payer] = [
  101, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123,
];

/** The position in this list, from 1, is the transaction id. */
const transfers = [
  [x, hop1, 100],
  [hop1, hop2, 100],
  [hop2, hop3, 100],
  [sender, payer, 50],
  [payer, x, 50],
  // The payer also paid somebody else, who was paid from the same pool: both sides of the payer are read.
  [payer, sibling, 70],
  [x, service, 1_000],
  [service, customer, 1_000],
  [other, far, 10],
  // A millionth of what `dusty` received: the trace does not follow it, but a sample of small payers does, so the score read behind it.
  [dust, dusty, 1],
  [other, dusty, 1_000_000],
  [x, dust, 1],
  [x, small, 1],
  [other, small, 1_000_000],
] as const;

const subjects = [
  ...[x, hop1, hop2, hop3, sender, payer, sibling, customer, far, service, small, dust, dusty, other].map(addressOf),
  ...[1, 2, 3, 7, 8, 9, 11].flatMap((n) => [txidOf(n, 'deposit'), txidOf(n, 'withdraw')]),
];

/**
 * Every subject that reaches it, itself included, and those with an address on the way that dealt with it on either side: `sibling` through the
 * payer, `other` through `small`. Of transactions the side that reaches it.
 */
const affected = [
  ...[x, hop1, hop2, hop3, sender, payer, sibling, small, other, dust, dusty].map(addressOf),
  // Its own transfers, and one of a side that reaches it.
  txidOf(1, 'deposit'),
  txidOf(1, 'withdraw'),
  txidOf(2, 'deposit'),
  txidOf(2, 'withdraw'),
  txidOf(3, 'deposit'),
  txidOf(3, 'withdraw'),
  txidOf(7, 'deposit'),
  txidOf(11, 'withdraw'),
]
  .map(nameOf)
  .toSorted();

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
  await world.label(service, { category: 'exchange', name: 'Good Exchange' });
  await world.transfers(transfers);
  await world.settle();
  for (const subject of subjects) await world.score(subject);
});
afterEach(() => world.close());

describe('a label', () => {
  it('two hops away changes exactly the scores that can reach it', async () => {
    expect(await world.changed()).toEqual([]);
    await world.label(x);
    expect(await world.settle()).toBe(affected.length);
    expect((await world.changed()).toSorted()).toEqual(affected);
    // The affected scores are gone from the cache, all others stay.
    for (const subject of subjects)
      expect([nameOf(subject), (await world.cached(subject)) === undefined]).toEqual([nameOf(subject), affected.includes(nameOf(subject))]);
    expect((await world.score(addressOf(hop2))).level).toBe('High');
  });

  it('that is given again unchanged changes none', async () => {
    await world.label(x);
    await world.settle();
    await world.label(x);
    expect((await world.database.pool.query('SELECT FROM risk.label_changes')).rows).toEqual([]);
    expect(await world.settle()).toBe(0);
  });

  it('that ends is told to the same, and what is computed then is without it', async () => {
    await world.label(x);
    await world.settle();
    for (const subject of subjects) await world.score(subject);
    expect((await world.score(addressOf(hop2))).level).toBe('High');
    await world.label(x, { valid_to: '2024-06-01' });
    expect(await world.settle()).toBe(affected.length);
    expect((await world.changed()).toSorted()).toEqual(affected);
    expect((await world.score(addressOf(hop2))).level).toBe('Low');
  });

  it('of somebody unknown changes none, and one on another chain neither', async () => {
    await world.label(99);
    await world.label(x, { chain: 'bsc' });
    expect(await world.settle()).toBe(0);
  });

  it('of sanctions on ethereum left the score of that address on base as it was', async () => {
    const [onBase, onTron] = ['base', 'tron'].map((chain) => ({ ...addressOf(x), chain })) as [Subject, Subject];
    const scoreBoth = async (): Promise<void> => {
      for (const subject of [onBase, onTron]) await world.score(subject);
    };
    const areOutdated = async (): Promise<boolean[]> =>
      Promise.all([onBase, onTron].map(async (subject) => (await world.cached(subject)) === undefined));
    await scoreBoth();
    await world.label(x, { category: 'sanctions' });
    await world.settle();
    expect(await areOutdated()).toEqual([true, false]);
    await scoreBoth();
    await world.label(x, { category: 'sanctions', valid_to: '2024-06-01' });
    await world.settle();
    expect(await areOutdated()).toEqual([true, false]);
  });

  it('of sanctions on ethereum that ended by itself left the score of that address on base as it was', async () => {
    const onBase: Subject = { ...addressOf(x), chain: 'base' };
    await world.label(x, { category: 'sanctions', valid_to: '2999-01-01' });
    await world.settle();
    await world.score(onBase);
    const end = new Date(Date.now() - 2 * clocksAgreeMs);
    await world.database.pool.query('UPDATE chain.labels SET valid_to = $1 WHERE valid_to > now()', [end]);
    await world.database.pool.query('UPDATE risk.label_changes SET due_at = $1 WHERE due_at > now()', [end]);
    await world.settle();
    expect(await world.cached(onBase)).toBeUndefined();
  });

  it('of a service makes what lies behind it unseen: it is told, and no longer reached afterwards', async () => {
    await world.label(hop1, { category: 'exchange', name: 'Another' });
    await world.settle();
    const told = (await world.changed()).toSorted();
    expect(told).toContain(nameOf(addressOf(hop3)));
    for (const subject of subjects) await world.score(subject);
    await world.label(x);
    const again = await world.settle();
    expect(again).toBeGreaterThan(0);
    const since = BigInt(told.length);
    expect(await world.changed('k', since)).not.toContain(nameOf(addressOf(hop2)));
    expect(await world.changed('k', since)).toContain(nameOf(addressOf(dust)));
  });

  it('is found for addresses of any letter case as they are stored', async () => {
    await world.label(x, { address: address(x).toUpperCase().replace('0X', '0x') });
    expect(await world.settle()).toBe(affected.length);
  });
});
