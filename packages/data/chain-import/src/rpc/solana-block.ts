import type { TransferRow } from '../rows.ts';
import { Unusable } from '../source/fields.ts';
import type { Scope } from '../transfers/scope.ts';
import type { Block } from './block.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { type Node, NodeError } from './node.ts';
import { type BlockRange, inOrder } from './range.ts';
import { solanaRows } from './solana-transaction.ts';

const finalized = { commitment: 'finalized' } as const;
/** A block has some megabytes. */
const blocksAtOnce = 4;
/** How far back a slot with a block is looked for, at most. Hundreds of slots without one are an outage of the chain. */
const looksBack = [32, 512, 8_192] as const;

/** The newest finalized slot. */
export async function solanaSlot(node: Node): Promise<number> {
  const slot = await node.ask('getSlot', [finalized]);
  if (!Number.isSafeInteger(slot)) throw new NodeError('the node does not say which slot is the newest');
  return slot as number;
}

/**
 * The hash of the slot's block; of a slot without one, that of the last block before. Undefined: the slot is not finalized yet.
 */
export async function solanaHashAt(node: Node, slot: number): Promise<string | undefined> {
  if (slot > (await solanaSlot(node))) return undefined;
  return (await blockUpTo(node, slot)).hash;
}

/**
 * The blocks of a range of slots, in order. A slot without a block is an empty block with hash and time of the one before, so that heights
 * have no gaps and each block names the one before it.
 */
export async function readSolanaBlocks(node: Node, scope: Scope, { from, to }: BlockRange): Promise<readonly Block[]> {
  const slots = await slotsWithBlocks(node, from, to);
  const blocks: Block[] = [];
  let last = slots[0] === from ? undefined : await blockUpTo(node, from - 1);
  const fill = (end: number): void => {
    for (let height = from + blocks.length; height < end && last !== undefined; height += 1)
      blocks.push({ height, hash: last.hash, parentHash: last.hash, time: last.time, rows: [] });
  };
  for await (const { parentSlot, ...block } of inOrder(slots, blocksAtOnce, (slot) => readSolanaBlock(node, scope, slot))) {
    fill(block.height);
    const before = last?.slot ?? parentSlot;
    if (parentSlot !== before)
      throw new NodeError(`the node leaves out slot ${parentSlot}, which slot ${block.height} names as the one before`);
    blocks.push(block);
    last = { slot: block.height, hash: block.hash, time: block.time };
  }
  fill(to + 1);
  return blocks;
}

/** Throws a NodeError when the node lacks a slot that it named. */
async function readSolanaBlock(node: Node, scope: Scope, slot: number): Promise<Block & { parentSlot: number }> {
  const options = { ...finalized, encoding: 'jsonParsed', transactionDetails: 'full', maxSupportedTransactionVersion: 0, rewards: false };
  const block = objectOf(await node.ask('getBlock', [slot, options]), `the block of slot ${slot}`);
  const { parentSlot } = block;
  if (!Number.isSafeInteger(parentSlot)) throw new NodeError(`the node does not name the slot before slot ${slot}`);
  const time = timeOf(block, slot);
  const rows: TransferRow[] = [];
  const rejected: string[] = [];
  for (const transaction of listOf(block['transactions'], `the transactions of slot ${slot}`)) {
    try {
      rows.push(...solanaRows(scope, transaction, time));
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      rejected.push(error.message);
    }
  }
  const [hash, parentHash] = [textOf(block, 'blockhash'), textOf(block, 'previousBlockhash')];
  return { height: slot, hash, parentHash, time, rows, rejected, parentSlot: parentSlot as number };
}

async function blockUpTo(node: Node, slot: number): Promise<{ slot: number; hash: string; time: string }> {
  for (const back of looksBack) {
    const last = (await slotsWithBlocks(node, Math.max(0, slot - back), slot)).at(-1);
    if (last === undefined) continue;
    const block = await node.ask('getBlock', [last, { ...finalized, transactionDetails: 'none', rewards: false }]);
    const header = objectOf(block, `the block of slot ${last}`);
    return { slot: last, hash: textOf(header, 'blockhash'), time: timeOf(header, last) };
  }
  throw new NodeError(`the node has no block in the slots before ${slot}`);
}

async function slotsWithBlocks(node: Node, from: number, to: number): Promise<readonly number[]> {
  const slots = await node.ask('getBlocks', [from, to, finalized]);
  const areSlots =
    Array.isArray(slots) &&
    slots.every((slot, n) => Number.isSafeInteger(slot) && slot >= from && slot <= to && (n === 0 || slot > slots[n - 1]));
  if (!areSlots) throw new NodeError(`the node does not say which slots from ${from} to ${to} have a block`);
  return slots as number[];
}

function timeOf(block: Json, slot: number): string {
  const seconds = block['blockTime'];
  if (!Number.isSafeInteger(seconds)) throw new NodeError(`the node gives no time of slot ${slot}`);
  return new Date((seconds as number) * 1_000).toISOString();
}
