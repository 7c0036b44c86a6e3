import type { Block } from '@weir/chain-import';
import { beginFollowing, changeRecorder, readFollowedChain, removeBlocks, storeBlocks } from '@weir/chain-store';
import { address, transfer, txid } from '@weir/chain-store/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, type ChangesWorld, openChangesWorld } from './changes.testing.ts';

const [thief, mule, user, stranger, shop] = [101, 102, 103, 104, 105];

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
  await world.transfers([
    [mule, user, 100],
    [stranger, shop, 100],
  ]);
  await world.label(thief);
  await beginFollowing(world.database.pool, 'ethereum', 1);
});
afterEach(() => world.close());

const followed = async () => {
  const state = await readFollowedChain(world.database.pool, 'ethereum');
  if (state === undefined) throw new Error('the chain is not followed');
  return state;
};
const block = (height: number, rows: Block['rows']): Block => ({
  height,
  hash: txid(1_000 + height),
  parentHash: txid(999 + height),
  time: transfer.time,
  rows,
});

it('the scores that read a transfer which a reorganisation takes back are told as changed, and are what they were', async () => {
  const { pool } = world.database;
  const subjects = [addressOf(mule), addressOf(user), addressOf(stranger)];
  const before = [];
  for (const subject of subjects) before.push(await world.score(subject));
  const stolen = { ...transfer, txid: txid(500), from_address: address(thief), to_address: address(mule), usd_value: '1000000' };
  await storeBlocks(pool, await followed(), [block(1, []), block(2, [stolen])], changeRecorder);
  expect(await world.settle()).toBe(2);
  expect((await world.score(addressOf(mule))).level).not.toBe('Low');
  await world.score(addressOf(user));

  expect(await removeBlocks(pool, await followed(), 1, changeRecorder)).toEqual({ blocks: 1, transfers: 1 });
  expect(await world.settle()).toBe(2);
  expect(await world.cached(addressOf(mule))).toBeUndefined();
  expect(await world.cached(addressOf(stranger))).toBeDefined();
  const after = [];
  for (const subject of subjects) after.push(await world.score(subject));
  expect(after).toEqual(before);
});

it('blocks that do not follow the stored ones are not stored', async () => {
  const { pool } = world.database;
  await storeBlocks(pool, await followed(), [block(1, [])], changeRecorder);
  const other = { ...block(2, []), parentHash: txid(7) };
  await expect(storeBlocks(pool, await followed(), [other], changeRecorder)).rejects.toThrow('block 2 of ethereum does not follow');
  await expect(storeBlocks(pool, await followed(), [block(3, [])], changeRecorder)).rejects.toThrow('block 3 of ethereum');
});

it('of two processes that follow one chain, one stores the block', async () => {
  const { pool } = world.database;
  const state = await followed();
  await storeBlocks(pool, state, [block(1, [])], changeRecorder);
  await expect(storeBlocks(pool, state, [block(1, [])], changeRecorder)).rejects.toThrow('ethereum is followed by another process');
  expect(await followed()).toMatchObject({ height: 1, blocks: 1 });
});
