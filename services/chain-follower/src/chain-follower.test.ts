import { NodeError } from '@weir/chain-import';
import { type ImportObserver, readFollowedChain } from '@weir/chain-store';
import { createChainDatabase } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChainFollower } from './chain-follower.ts';
import type { ChainNode } from './chain-node.ts';
import { NodeGroup } from './node-group.ts';
import { addressOf, ScriptedChain, txidOf } from './scripted-chain.testing.ts';

let database: TestDatabase;
let chain: ScriptedChain;
beforeEach(async () => {
  database = await createChainDatabase();
  chain = new ScriptedChain();
});
afterEach(() => database.drop());

const unobserved: ImportObserver = { labelsStored: async () => undefined, transfersStored: async () => undefined };
const follower = (node: ChainNode, firstBlock?: number): ChainFollower =>
  new ChainFollower({
    pool: database.pool,
    clock: systemClock,
    chain: 'ethereum',
    nodes: new NodeGroup({ clock: systemClock, nodes: [node], onLeft: () => undefined }),
    firstBlock,
    confirmations: 2,
    observer: unobserved,
  });
const mine = (blocks: number): void => {
  for (let n = 0; n < blocks; n += 1) chain.mine([]);
};
const state = () => readFollowedChain(database.pool, 'ethereum');

it('without a first block it begins at the newest confirmed one, and keeps that', async () => {
  mine(10);
  const first = follower(chain.node('one'));
  expect([await first.step(), (await state())?.firstBlock, (await state())?.height]).toEqual([false, 8, 8]);
  mine(3);
  await follower(chain.node('one'), 1).step();
  expect(await state()).toMatchObject({ firstBlock: 8, height: 11, head: 13, blocks: 4 });
});

it('the batches grow while the node is quick, and shrink when it fails', async () => {
  mine(1_000);
  const sizes: number[] = [];
  let fails = false;
  const node = chain.node('one');
  const watched: ChainNode = {
    ...node,
    blocks: async (range) => {
      sizes.push(range.to - range.from + 1);
      if (fails) throw new NodeError('too many blocks');
      return node.blocks(range);
    },
  };
  const following = follower(watched, 1);
  for (let step = 0; step < 6; step += 1) await following.step();
  fails = true;
  for (let step = 0; step < 8; step += 1) await expect(following.step()).rejects.toThrow('too many blocks');
  expect(sizes.slice(0, 6)).toEqual([4, 8, 16, 32, 64, 128]);
  expect(sizes.slice(6)).toEqual([128, 64, 32, 16, 8, 4, 2, 1]);
});

it('a reorganisation below every kept block changes nothing, and says so', async () => {
  const sender = addressOf(1);
  chain.mine([{ txid: txidOf(1), position: 0, from_address: sender, to_address: addressOf(2), coin: 'ETH', amount: '1', usd_value: null }]);
  mine(2_200);
  const following = follower(chain.node('one'), 1);
  while (await following.step());
  const { rows } = await database.pool.query<{ kept: number }>('SELECT count(*)::int AS kept FROM chain.blocks');
  expect(rows).toEqual([{ kept: 2_000 }]);
  const before = await state();
  chain.takeBack(2_201);
  mine(2_300);
  await expect(following.step()).rejects.toThrow('the reorganisation cannot be taken back');
  expect(await state()).toEqual({ ...before, head: chain.head, seenAt: expect.any(Date) });
});

it('it is caught up when every confirmed block is stored, and only then', async () => {
  mine(10);
  const following = follower(chain.node('one'), 1);
  expect(await following.step()).toBe(true);
  expect(await state()).toMatchObject({ height: 4, caughtUpAt: null });
  expect(await following.step()).toBe(false);
  const caughtUp = (await state())?.caughtUpAt;
  expect(caughtUp).toBeInstanceOf(Date);
  mine(20);
  expect(await following.step()).toBe(true);
  expect((await state())?.caughtUpAt).toEqual(caughtUp);
});

it('a chain that is shorter for a while takes nothing back', async () => {
  mine(10);
  const node = chain.node('one');
  let cut = 0;
  const following = follower(
    {
      ...node,
      head: async () => (await node.head()) - cut,
      hashAt: async (height) => (height > chain.head - cut ? undefined : node.hashAt(height)),
    },
    1,
  );
  while (await following.step());
  cut = 6;
  expect(await following.step()).toBe(false);
  cut = 0;
  await following.step();
  expect(await state()).toMatchObject({ height: 8, reorganisations: 0, blocks: 8 });
});
