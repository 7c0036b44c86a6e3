import { nobodiesOf } from '@weir/chains';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { beginBatch, statementTimeoutMs } from '../import/batches.ts';
import { recordTransfers } from '../import/chain-data.ts';
import { removeFromPrices } from '../import/day-prices.ts';
import type { ImportObserver } from '../import/observer.ts';
import { isInternal, temporaryTables } from '../import/transfer-batch.ts';
import { addToEdges, addToStats, dropEmptyEdges, dropEmptySides, dropEmptyStats, renewStatTimes } from '../import/transfer-sums.ts';
import type { FollowedChain } from './followed-chains.ts';
import { FollowConflict } from './store-blocks.ts';

export interface RemovedBlocks {
  readonly blocks: number;
  readonly transfers: number;
}

/**
 * Removes the stored blocks above `height`, their transfers, and these from the sums, in one transaction. A transfer that a file gave too is
 * removed all the same: the chain no longer has it. `first` is the first step, while the blocks are still there.
 */
export function removeBlocks(
  pool: Pool,
  of: FollowedChain,
  height: number,
  observer: ImportObserver,
  first?: (tx: Queryable) => Promise<void>,
): Promise<RemovedBlocks> {
  const { chain } = of;
  return transaction(
    pool,
    async (tx) => {
      await beginBatch(tx);
      await first?.(tx);
      await tx.query(temporaryTables);
      const { rowCount: transfers } = await tx.query(takeTransfers, [chain, height]);
      const { rowCount: blocks } = await tx.query('DELETE FROM chain.blocks WHERE chain = $1 AND height > $2', [chain, height]);
      await retreat(tx, of, height);
      if ((transfers ?? 0) > 0) await subtract(tx, of, observer);
      return { blocks: blocks ?? 0, transfers: transfers ?? 0 };
    },
    { statementTimeoutMs },
  );
}

async function retreat(tx: Queryable, of: FollowedChain, height: number): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE chain.followed f SET height = b.height, hash = b.hash, block_at = b.at, reorganisations = f.reorganisations + 1
     FROM (SELECT) one LEFT JOIN chain.blocks b ON b.chain = $1 AND b.height = $4
     WHERE f.chain = $1 AND f.height = $2 AND f.hash = $3 AND (b.height IS NOT NULL OR $4 < f.first_block)`,
    [of.chain, of.height, of.hash, height],
  );
  if (rowCount !== 1) throw new FollowConflict(of.chain);
}

/** The changes of an import, with the opposite sign. */
async function subtract(tx: Queryable, { chain }: FollowedChain, observer: ImportObserver): Promise<void> {
  await removeFromPrices(tx, 'pg_temp.given_transfers');
  await tx.query(negativeChanges);
  const nobodies = [nobodiesOf(chain)];
  await tx.query(addToEdges, nobodies);
  await tx.query(dropEmptyEdges, nobodies);
  await tx.query(dropEmptySides, nobodies);
  await tx.query(addToStats);
  await tx.query(dropEmptyStats);
  await tx.query(renewStatTimes);
  await recordTransfers(tx, 'pg_temp.transfer_changes');
  await tx.query(renewNewest, [chain]);
  await observer.transfersStored(tx);
}

/** Places first: for a join without statistics the planner scans all transfers. */
const takeTransfers = `
  WITH ids AS MATERIALIZED (SELECT DISTINCT unnest(txids) AS txid FROM chain.blocks WHERE chain = $1 AND height > $2),
  gone AS (
    DELETE FROM chain.transfers WHERE ctid = ANY (ARRAY(
      SELECT t.place FROM ids i CROSS JOIN LATERAL (
        SELECT o.ctid AS place FROM chain.transfers o
        WHERE hashtextextended(o.txid, 0) = hashtextextended(i.txid, 0) AND o.txid = i.txid AND o.chain = $1 OFFSET 0) t)) RETURNING *)
  INSERT INTO pg_temp.given_transfers (n, chain, txid, position, from_address, to_address, coin, amount, usd, at, source, dealing)
  SELECT 0, chain, txid, position, from_address, to_address, coin, amount, usd, at, source, dealing FROM gone`;

const negativeChanges = `
  INSERT INTO pg_temp.transfer_changes
  SELECT chain, txid, from_address, to_address, coin, -1, -(usd IS NULL)::int, -coalesce(amount, 0), -coalesce(usd, 0), at,
    -dealing::int, -(dealing AND usd IS NULL)::int, -(${isInternal})::int
  FROM pg_temp.given_transfers`;

/** No index has the chain's newest transfer. The kept blocks have it, unless a file gave a newer one, which then stays. */
const renewNewest = `
  UPDATE chain.chain_data d SET newest_transfer_at = CASE WHEN d.transfers > 0 THEN coalesce(
    (SELECT max(at) FROM chain.blocks WHERE chain = $1 AND txids <> '{}'), (SELECT block_at FROM chain.followed WHERE chain = $1)) END
  WHERE d.chain = $1 AND d.newest_transfer_at <= (SELECT max(at) FROM pg_temp.transfer_changes)`;
