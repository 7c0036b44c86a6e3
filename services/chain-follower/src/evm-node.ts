import { type Block, checkChain, findTraceMethod, hashAt, heightOf, type Node, readBlocks, type TraceMethod } from '@weir/chain-import';
import type { Chain } from '@weir/chains';
import type { Logger } from '@weir/service-kit';
import type { ChainNode } from './chain-node.ts';
import { openOnce } from './open-once.ts';
import { pacedNode, type PacedNodeOptions } from './paced-node.ts';

export interface EvmNodeOptions extends PacedNodeOptions {
  readonly chain: Chain;
  readonly name: string;
  readonly logger: Logger;
  /** False: payments of contracts are not read. */
  readonly traces: boolean;
}

interface Opened {
  readonly node: Node;
  readonly traces: TraceMethod | undefined;
}

/** A node with Ethereum's JSON-RPC. Nothing is asked before the first call, so that a node which is away delays no start. */
export function evmNode(options: EvmNodeOptions): ChainNode {
  const { chain, name, logger } = options;
  const use = openOnce(async (): Promise<Opened> => {
    const node = await pacedNode(options);
    await checkChain(node, chain);
    if (!options.traces) return { node, traces: undefined };
    const traces = await findTraceMethod(node, await heightOf(node, 'latest'));
    if (traces === undefined)
      logger.warn({ chain, node: name }, 'the node has no traces: payments of contracts within a transaction are missing');
    return { node, traces };
  });
  return {
    name,
    head: async () => heightOf((await use()).node, 'latest'),
    hashAt: async (height) => hashAt((await use()).node, height),
    blocks: async (range) => {
      const { node, traces } = await use();
      const blocks: Block[] = [];
      for await (const block of readBlocks(node, { chain, source: 'node' }, range, traces)) blocks.push(block);
      return blocks;
    },
  };
}
