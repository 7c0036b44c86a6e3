import { type Block, type Node, readUtxoBlock, utxoHashAt, utxoHeight } from '@weir/chain-import';
import type { ChainNode } from './chain-node.ts';
import { checkKnownBlock, type KnownBlockOptions } from './known-block.ts';
import { openOnce } from './open-once.ts';
import { pacedNode } from './paced-node.ts';

/** A node with Bitcoin's JSON-RPC. Nothing is asked before the first call, so that a node which is away delays no start. */
export function utxoNode(options: KnownBlockOptions): ChainNode {
  const { chain, name } = options;
  const use = openOnce(async (): Promise<Node> => {
    const node = await pacedNode(options);
    await checkKnownBlock(options, (height) => utxoHashAt(node, height));
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
