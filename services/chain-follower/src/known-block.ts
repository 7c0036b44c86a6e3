import { NodeError } from '@weir/chain-import';
import { type Chain, type KnownBlock, nodesOf } from '@weir/chains';
import type { PacedNodeOptions } from './paced-node.ts';

/** Of a node that the hash of one block tells from those of other chains. */
export interface KnownBlockOptions extends PacedNodeOptions {
  readonly chain: Chain;
  readonly name: string;
  /** Default: that of the chain. */
  readonly knownBlock?: KnownBlock;
}

/** Throws a NodeError unless the node has the known block of the chain. */
export async function checkKnownBlock(
  { chain, knownBlock }: Pick<KnownBlockOptions, 'chain' | 'knownBlock'>,
  hashAt: (height: number) => Promise<unknown>,
): Promise<void> {
  const nodes = nodesOf(chain);
  const known = knownBlock ?? (nodes !== undefined && 'knownBlock' in nodes ? nodes.knownBlock : undefined);
  if (known === undefined) throw new NodeError(`${chain} has no nodes that one block tells`);
  const hash = await hashAt(known.height);
  if (hash === undefined) throw new NodeError(`the node does not have block ${known.height} of ${chain} yet`);
  if (hash !== known.hash) throw new NodeError(`the node is none of ${chain}: it has another block ${known.height}`);
}
