import { type Block, NodeError, readTronBlock, tronHashAt, tronHeight, type TronNode } from '@weir/chain-import';
import { type Chain, tronNodesOf } from '@weir/chains';
import type { ChainNode } from './chain-node.ts';
import { openOnce } from './open-once.ts';
import { pacedTronNode, type PacedNodeOptions } from './paced-node.ts';

export interface TronNodeOptions extends PacedNodeOptions {
  readonly chain: Chain;
  readonly name: string;
  /** Hash of block 0; default: that of the chain. */
  readonly genesis?: string;
}

/** A full node of TRON with its HTTP API. Nothing is asked before the first call, so that a node which is away delays no start. */
export function tronNode({ chain, name, genesis = tronNodesOf(chain)?.genesis, ...options }: TronNodeOptions): ChainNode {
  const node = pacedTronNode(options);
  const use = openOnce(async (): Promise<TronNode> => {
    const first = await tronHashAt(node, 0);
    if (first !== genesis) throw new NodeError(`the node is none of ${chain}: its block 0 is ${first}`);
    return node;
  });
  return {
    name,
    head: async () => tronHeight(await use()),
    hashAt: async (height) => tronHashAt(await use(), height),
    blocks: async ({ from, to }) => {
      const used = await use();
      const blocks: Block[] = [];
      for (let height = from; height <= to; height += 1) blocks.push(await readTronBlock(used, { chain, source: 'node' }, height));
      return blocks;
    },
  };
}
