import type { Block, BlockRange } from '@weir/chain-import';

/** One node of a chain. Every call ends within a limit, and throws a NodeError when the node does not answer as it should. */
export interface ChainNode {
  /** For logs, without the node's address, which may be a secret. */
  readonly name: string;
  /** Its newest height. */
  head(): Promise<number>;
  /** Undefined: the node has no block there. */
  hashAt(height: number): Promise<string | undefined>;
  blocks(range: BlockRange): Promise<readonly Block[]>;
}
