import { type Node, readSolanaBlocks, solanaHashAt, solanaSlot } from '@weir/chain-import';
import type { ChainNode } from './chain-node.ts';
import { checkKnownBlock, type KnownBlockOptions } from './known-block.ts';
import { openOnce } from './open-once.ts';
import { pacedNode } from './paced-node.ts';

/**
 * A node with Solana's JSON-RPC; a height is a slot. Finalized slots only, which the chain does not take back. Nothing is asked before the
 * first call, so that a node which is away delays no start.
 */
export function solanaNode(options: KnownBlockOptions): ChainNode {
  const { chain, name } = options;
  const use = openOnce(async (): Promise<Node> => {
    const node = await pacedNode(options);
    await checkKnownBlock(options, () => node.ask('getGenesisHash', []));
    return node;
  });
  return {
    name,
    head: async () => solanaSlot(await use()),
    hashAt: async (slot) => solanaHashAt(await use(), slot),
    blocks: async (range) => readSolanaBlocks(await use(), { chain, source: 'node' }, range),
  };
}
