import { createRiskStore } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import type { RiskStore } from '@weir/risk-engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../keys/keys.ts';
import { addressOf, type ChangesWorld, openChangesWorld, txidOf } from './changes.testing.ts';
import { changesAfter } from './feed.ts';

const [thief, mule, user, stranger, shop] = [101, 102, 103, 104, 105];
const [ofMule, ofUser, ofStranger] = [addressOf(mule), addressOf(user), addressOf(stranger)];

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
  await world.transfers([
    [mule, user, 100],
    [stranger, shop, 100],
  ]);
  await world.label(thief);
});
afterEach(() => world.close());

const causes = async (after = 0n): Promise<string[]> =>
  (await changesAfter(world.database.pool, hashKey('k'), after, 100))?.changes.map(
    ({ subject, cause }) => `${cause} ${Number(subject.value)}`,
  ) ?? [];

describe('a transfer that is imported', () => {
  it('ends the score of its receiver, and of whom he paid before, and of nobody else', async () => {
    for (const subject of [ofMule, ofUser, ofStranger]) expect((await world.score(subject)).level).toBe('Low');
    await world.transfers([[thief, mule, 1_000_000]]);
    expect(await world.settle()).toBe(2);
    expect([await world.cached(ofMule), await world.cached(ofUser)]).toEqual([undefined, undefined]);
    expect(await world.cached(ofStranger)).toBeDefined();
    expect((await causes()).toSorted()).toEqual([`transfer ${mule}`, `transfer ${user}`]);
    expect((await world.score(ofMule)).level).not.toBe('Low');
    expect(await world.settle()).toBe(0);
  });

  it('ends the score of its sender', async () => {
    await world.score(ofStranger);
    await world.transfers([[stranger, thief, 1_000_000]]);
    expect(await world.settle()).toBe(1);
    expect((await world.score(ofStranger)).level).not.toBe('Low');
  });

  it('ends the score of an address and of a transaction that nothing was known of', async () => {
    const [unknown, txid] = [addressOf(900), txidOf(3, 'deposit')];
    expect([(await world.score(unknown)).coverage, (await world.score(txid)).coverage]).toEqual(['none', 'none']);
    await world.transfers([[900, shop, 5]]);
    expect(await world.settle()).toBe(2);
    expect([(await world.score(unknown)).coverage, (await world.score(txid)).coverage]).toEqual(['transfers', 'transfers']);
  });

  it('ends nothing when it is known already', async () => {
    await world.score(ofUser);
    const { pool } = world.database;
    const { rows } = await pool.query('SELECT FROM risk.changed_places');
    expect(rows).toHaveLength(0);
    await world.transfers([[mule, user, 100]]);
    await world.settle();
    expect((await pool.query('SELECT FROM risk.changed_places')).rowCount).toBe(0);
  });

  it('notes nothing while there is no score', async () => {
    await world.transfers([[thief, mule, 10]]);
    expect((await world.database.pool.query('SELECT FROM risk.changed_places')).rowCount).toBe(0);
  });

  it('is told as a label where one changed too, until the label was read', async () => {
    await world.score(ofMule);
    await world.label(mule, { category: 'exchange' });
    await world.settle();
    await world.transfers([[stranger, mule, 10]]);
    await world.settle();
    expect(await causes()).toEqual([`label ${mule}`]);
    expect(await causes(1n)).toEqual([`transfer ${mule}`]);
  });

  it('that comes while a score is computed is in it', async () => {
    await world.score(ofStranger);
    const store = createRiskStore(world.database.pool);
    let done = false;
    const interrupted: RiskStore = {
      ...store,
      histories: async (...of) => {
        const found = await store.histories(...of);
        if (!done) {
          done = true;
          await world.transfers([[thief, mule, 1_000_000]]);
          await world.settle();
        }
        return found;
      },
    };
    expect((await world.score(ofMule, { store: interrupted })).level).not.toBe('Low');
    expect(await world.cached(ofMule)).toBeDefined();
  });
});

it('many transfers beside an index of scores are noted and looked at in bounded steps', async () => {
  await world.score(ofMule);
  const count = 20_000;
  const begun = systemClock.monotonic();
  await world.transfers(Array.from({ length: count }, (_, n) => [1_000 + n, 50_000 + n, 1] as const));
  const loaded = systemClock.monotonic();
  let steps = 0;
  for (const processor = world.processor(); await processor.step(); ) steps += 1;
  const lookedAt = systemClock.monotonic();
  process.stdout.write(
    `${count} transfers are imported in ${Math.round(loaded - begun)} ms, and their ${3 * count} places looked at in ${Math.round(lookedAt - loaded)} ms\n`,
  );
  expect(steps).toBeGreaterThanOrEqual((3 * count) / 5_000);
  expect(await causes()).toEqual([]);
  expect((await world.database.pool.query('SELECT FROM risk.changed_places')).rowCount).toBe(0);
});
