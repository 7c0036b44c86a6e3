import { type Block, type Node, NodeError, readUtxoBlock, utxoHashAt, utxoHeight } from '@weir/chain-import';
import { type Chain, utxoNodesOf } from '@weir/chains';
import type { ChainNode } from './chain-node.ts';
import { openOnce } from './open-once.ts';
import { pacedNode, type PacedNodeOptions } from './paced-node.ts';

export interface UtxoNodeOptions extends PacedNodeOptions {
  readonly chain: Chain;
  readonly name: string;
  /** Hash of block 0; default: that of the chain. */
  readonly genesis?: string;
}

/** A node with Bitcoin's JSON-RPC. Nothing is asked before the first call, so that a node which is away delays no start. */
export function utxoNode({ chain, name, genesis = utxoNodesOf(chain)?.genesis, ...paced }: UtxoNodeOptions): ChainNode {
  const use = openOnce(async (): Promise<Node> => {
    const node = await pacedNode(paced);
    const first = await utxoHashAt(node, 0);
    if (first !== genesis) throw new NodeError(`the node is none of ${chain}: its block 0 is ${first}`);
    return node;
  });
  return {
    name,
    head: async () => utxoHeight(await use()),
    hashAt: async (height) => utxoHashAt(await use(), height),
    blocks: async ({ from, to }) => {
      const node = await use();
      const blocks: Block[] = [];
      // One by one: a block has megabytes, and comes minutes after the one before.
      for (let height = from; height <= to; height += 1) blocks.push(await readUtxoBlock(node, { chain, source: 'node' }, height));
      return blocks;
    },
  };
}
