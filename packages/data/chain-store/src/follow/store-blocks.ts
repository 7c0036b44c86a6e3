import type { Block } from '@weir/chain-import';
import { type Chain, parseTxid } from '@weir/chains';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { beginBatch, statementTimeoutMs } from '../import/batches.ts';
import { newBatch } from '../import/kinds.ts';
import type { ImportObserver } from '../import/observer.ts';
import { type FollowedChain, keptBlocks } from './followed-chains.ts';

/** The first given block does not follow the last stored one, or the blocks do not follow each other. */
export class UnlinkedBlock extends Error {
  constructor(chain: Chain, height: number) {
    super(`block ${height} of ${chain} does not follow the block before it`);
    this.name = 'UnlinkedBlock';
  }
}

/** Another process follows the same chain. Nothing is lost or counted twice; one of the two continues. */
export class FollowConflict extends Error {
  constructor(chain: Chain) {
    super(`${chain} is followed by another process`);
    this.name = 'FollowConflict';
  }
}

export interface StoredBlocks {
  readonly transfers: number;
  /** Reasons of transfers that are not stored. */
  readonly rejected: readonly string[];
}

/**
 * Stores the blocks that follow `after`: their transfers, the sums and the progress, in one transaction. `last` is the last step in it,
 * because it may hold locks that others wait for.
 */
export async function storeBlocks(
  pool: Pool,
  after: FollowedChain,
  blocks: readonly Block[],
  observer: ImportObserver,
  last?: (tx: Queryable) => Promise<void>,
): Promise<StoredBlocks> {
  const { chain } = after;
  const newest = blocks.at(-1);
  if (newest === undefined) return { transfers: 0, rejected: [] };
  checkLinks(after, blocks);
  const batch = newBatch.transfers(0);
  const rejected = blocks.flatMap(({ rows, coSpends = [], rejected: before = [] }) => [
    ...before,
    ...rows.map((row) => batch.add(row)).filter((reason) => reason !== undefined),
    ...coSpends.map((row) => batch.addCoSpend?.(row)).filter((reason) => reason !== undefined),
  ]);
  return transaction(
    pool,
    async (tx, client) => {
      await beginBatch(tx);
      await advance(tx, after, { ...newest, count: blocks.length });
      if (batch.bytes > 0) await batch.store({ tx, client, observer });
      await tx.query(
        `INSERT INTO chain.blocks (chain, height, hash, at, txids)
         SELECT $1, b.height, b.hash, b.at, ARRAY(SELECT jsonb_array_elements_text(b.txids))
         FROM jsonb_to_recordset($2) b (height bigint, hash text, at timestamptz, txids jsonb)`,
        [chain, JSON.stringify(blocks.slice(-keptBlocks).map((block) => stored(chain, block)))],
      );
      await tx.query('DELETE FROM chain.blocks WHERE chain = $1 AND height <= $2', [chain, newest.height - keptBlocks]);
      await last?.(tx);
      return { transfers: batch.count, rejected };
    },
    { statementTimeoutMs, copies: true },
  );
}

function checkLinks({ chain, firstBlock, height, hash }: FollowedChain, blocks: readonly Block[]): void {
  let [wanted, parent] = [height === null ? firstBlock : height + 1, hash];
  for (const block of blocks) {
    if (block.height !== wanted || (parent !== null && block.parentHash !== parent)) throw new UnlinkedBlock(chain, block.height);
    [wanted, parent] = [wanted + 1, block.hash];
  }
}

async function advance(tx: Queryable, after: FollowedChain, to: Block & { count: number }): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE chain.followed SET height = $4, hash = $5, block_at = $6, blocks = blocks + $7
     WHERE chain = $1 AND height IS NOT DISTINCT FROM $2 AND hash IS NOT DISTINCT FROM $3`,
    [after.chain, after.height, after.hash, to.height, to.hash, to.time, to.count],
  );
  if (rowCount !== 1) throw new FollowConflict(after.chain);
}

function stored(chain: Chain, { height, hash, time, rows }: Block) {
  const txids = new Set(rows.map(({ txid }) => parseTxid(chain, txid ?? '')).filter((txid) => txid !== undefined));
  return { height, hash, at: time, txids: [...txids] };
}
