import { type Block, readTronBlock, tronHashAt, tronHeight, type TronNode } from '@weir/chain-import';
import type { ChainNode } from './chain-node.ts';
import { checkKnownBlock, type KnownBlockOptions } from './known-block.ts';
import { openOnce } from './open-once.ts';
import { pacedTronNode } from './paced-node.ts';

/** A full node of TRON with its HTTP API. Nothing is asked before the first call, so that a node which is away delays no start. */
export function tronNode(options: KnownBlockOptions): ChainNode {
  const { chain, name } = options;
  const node = pacedTronNode(options);
  const use = openOnce(async (): Promise<TronNode> => {
    await checkKnownBlock(options, (height) => tronHashAt(node, height));
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
