import type { Reader, TransferRow } from '../rows.ts';
import type { Scope } from '../transfers/scope.ts';
import { type Block, readBlock } from './block.ts';
import { checkChain, heightOf, type Node, NodeError } from './node.ts';
import type { TraceMethod } from './traces.ts';

export interface BlockRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

/** Concurrent block requests. */
const blocksAtOnce = 4;

/**
 * Finds the blocks to read: up to `to`, or the last final one. Throws a NodeError for a node of another chain,
 * and when the range is not final yet, unless `unfinal`.
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

/** The blocks of the range, in order. Without `traces` payments of contracts are missing. Any failure ends the reading, so no block is skipped. */
export async function* readBlocks(node: Node, scope: Scope, { from, to }: BlockRange, traces?: TraceMethod): AsyncGenerator<Block> {
  yield* inOrder(heightsOf(from, to), blocksAtOnce, (height) => readBlock(node, scope, height, traces));
}

function* heightsOf(from: number, to: number): Generator<number> {
  for (let height = from; height <= to; height += 1) yield height;
}

/** What `read` gives for each item, in order, with so many reads at once. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  read: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const ahead: Promise<Result>[] = [];
  for (const item of items) {
    const result = read(item);
    // The loop awaits it later; until then a rejection must not count as unhandled.
    result.catch(() => undefined);
    ahead.push(result);
    const [next] = ahead.length < atOnce ? [] : ahead.splice(0, 1);
    if (next !== undefined) yield await next;
  }
  for (const result of ahead) yield await result;
}

/** One record per block, numbered by height. */
export function readRange(node: Node, scope: Scope, range: BlockRange, traces?: TraceMethod): Reader<TransferRow> {
  return async function* read(after) {
    const from = Math.max(range.from, after + 1, 1);
    for await (const { height, rows } of readBlocks(node, scope, { ...range, from }, traces)) yield { number: height, rows };
  };
}
