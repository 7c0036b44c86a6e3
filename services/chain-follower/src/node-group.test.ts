import { NodeError } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChainNode } from './chain-node.ts';
import { NodeGroup } from './node-group.ts';
import { ScriptedChain } from './scripted-chain.testing.ts';

let clock: ManualClock;
let chain: ScriptedChain;
let left: string[];
beforeEach(() => {
  clock = new ManualClock();
  chain = new ScriptedChain();
  for (let n = 0; n < 5; n += 1) chain.mine([]);
  left = [];
});

const group = (...nodes: ChainNode[]): NodeGroup => new NodeGroup({ clock, nodes, onLeft: (node) => left.push(node) });
const honest = (name: string): ChainNode => chain.node(name);
/** With a hash of its own at this height and above. */
const lying = (name: string, from: number): ChainNode => {
  const told = (height: number, hash: string): string => (height >= from ? hash.replace('0x0', '0xf') : hash);
  const node = chain.node(name);
  return {
    ...node,
    hashAt: async (height) => {
      const hash = await node.hashAt(height);
      return hash === undefined ? undefined : told(height, hash);
    },
    blocks: async (range) =>
      (await node.blocks(range)).map((block) => ({
        ...block,
        hash: told(block.height, block.hash),
        parentHash: told(block.height - 1, block.parentHash),
      })),
  };
};
const away = (name: string): ChainNode => {
  const fail = async (): Promise<never> => {
    throw new NodeError('the node does not answer');
  };
  return { name, head: fail, hashAt: fail, blocks: fail };
};
const hashesOf = (from: number, to: number): string[] => chain.blocks(from, to).map(({ hash }) => hash);

describe('the nodes of a chain', () => {
  it('a node that lies about a hash is left for another', async () => {
    const nodes = group(lying('liar', 3), honest('one'), honest('two'));
    const blocks = await nodes.blocks({ from: 1, to: 4 });
    expect([blocks.map(({ hash }) => hash), left]).toEqual([hashesOf(1, 4), ['liar']]);
  });

  it('a node that lies about a block below the last is left for another', async () => {
    const node = lying('liar', 2);
    const blocks: ChainNode['blocks'] = async (range) => [...(await node.blocks(range)).slice(0, -1), ...chain.blocks(range.to, range.to)];
    const nodes = group({ ...chain.node('liar'), blocks }, honest('one'));
    expect((await nodes.blocks({ from: 1, to: 4 })).map(({ hash }) => hash)).toEqual(hashesOf(1, 4));
    expect(left).toEqual(['liar']);
  });

  it('a node that is away is left for another, and asked again later', async () => {
    let isAway = true;
    const [gone, back] = [away('flaky'), honest('flaky')];
    const flaky: ChainNode = {
      ...back,
      head: async () => (isAway ? gone : back).head(),
      hashAt: async (h) => (isAway ? gone : back).hashAt(h),
    };
    let asked = 0;
    const other = { ...honest('one'), head: async () => 3 };
    const nodes = group({ ...flaky, head: async () => flaky.head().finally(() => (asked += 1)) }, other);
    expect(await nodes.head()).toBe(3);
    expect(await nodes.head()).toBe(3);
    expect([asked, left]).toEqual([1, ['flaky']]);
    isAway = false;
    await clock.advance(60_000);
    await nodes.head();
    expect(asked).toBe(2);
  });

  it('an ever longer absence is asked for ever less often, up to a minute', async () => {
    let asked = 0;
    const gone = { ...away('gone'), head: async () => ((asked += 1), away('').head()) };
    const nodes = group(gone, honest('one'));
    for (let second = 0; second < 600; second += 1) {
      await nodes.head();
      await clock.advance(1_000);
    }
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(20);
  });

  it('two that contradict each other store nothing', async () => {
    const nodes = group(lying('liar', 3), honest('one'));
    await expect(nodes.blocks({ from: 1, to: 4 })).rejects.toThrow('the nodes do not agree on block 4');
    expect((await nodes.blocks({ from: 1, to: 2 })).length).toBe(2);
  });

  it('the height is one that more than half have', async () => {
    const at = (height: number): ChainNode => ({ ...honest(String(height)), head: async () => height });
    expect(await group(at(9)).head()).toBe(9);
    expect(await group(at(9), at(7)).head()).toBe(7);
    expect(await group(at(1_000_000), at(9), at(7)).head()).toBe(9);
  });

  it('when none answers, the reason of one is the error, and all are asked again', async () => {
    const nodes = group(away('one'), away('two'));
    await expect(nodes.head()).rejects.toThrow('the node does not answer');
    await expect(nodes.head()).rejects.toThrow('the node does not answer');
    expect(left.length).toBe(4);
  });
});
