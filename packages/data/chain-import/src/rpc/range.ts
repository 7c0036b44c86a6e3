import type { Reader, TransferRow } from '../rows.ts';
import type { Scope } from '../transfers/scope.ts';
import { readBlock } from './block.ts';
import { checkChain, heightOf, type Node, NodeError } from './node.ts';

export interface BlockRange {
  readonly from: number;
  /** Included. */
  readonly to: number;
}

/** Blocks that are asked for at once. */
const blocksAtOnce = 4;

/**
 * The blocks to read: to the one that is asked for, or the last that the node takes for final. Throws a NodeError for a node of another chain, and when the
 * chain may still change below the end of the range, unless `unfinal`.
 */
export async function findRange(node: Node, scope: Scope, from: number, to: number | undefined, unfinal = false): Promise<BlockRange> {
  await checkChain(node, scope.chain);
  const safe = await heightOf(node, unfinal ? 'latest' : 'finalized');
  const end = to ?? safe;
  const beyond = Math.max(end, to === undefined ? from : end);
  if (beyond > safe) throw new NodeError(`block ${beyond} is not ${unfinal ? 'there' : 'final'} yet; the last that is, is ${safe}`);
  if (from > end) throw new NodeError(`block ${from} comes after block ${end}`);
  return { from, to: end };
}

/** The transfers of a range of blocks, a record for each block with its height for a number. What cannot be read ends the reading; no block is passed over. */
export function readRange(node: Node, scope: Scope, range: BlockRange): Reader<TransferRow> {
  return async function* read(after) {
    const ahead: Promise<TransferRow[]>[] = [];
    let asked = Math.max(range.from, after + 1, 1);
    for (let height = asked; height <= range.to; height += 1) {
      while (ahead.length < blocksAtOnce && asked <= range.to) {
        const block = readBlock(node, scope, asked);
        // Looked at in its turn; until then a failure must not count as unheard.
        block.catch(() => undefined);
        ahead.push(block);
        asked += 1;
      }
      yield { number: height, rows: (await ahead.shift()) ?? [] };
    }
  };
}
