import { checkTransfer, positionsFrom, type TransferRow } from '@weir/chain-import';
import { type Chain, findCoin, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { CoSpends } from '../clusters/co-spends.ts';
import { recordTransfers } from './chain-data.ts';
import { copyInto, CopyLines } from './copy.ts';
import { type BatchTransaction, type ChainBatch, nothingStored, type StoredBatch } from './chain-batch.ts';
import { addToPrices } from './day-prices.ts';
import { addToEdges, addToStats } from './transfer-sums.ts';

/**
 * The key of a transfer: chain, txid, position, coin and addresses; without a txid all of its content. On a repetition the larger amount
 * and value win, and any known one wins over an unknown, so import order does not matter and prices may come later. The difference is
 * added to the sums by coin. It is added to pairs and sides when the coin or the value is known. Prices use the last value of a transfer,
 * so that a wrong one can be corrected.
 */
export function transferBatch(before: number): ChainBatch<TransferRow> {
  const lines = new CopyLines();
  const chains = new Set<Chain>();
  const coSpends = new CoSpends();
  return {
    get count() {
      return lines.count;
    },
    get bytes() {
      return lines.bytes + coSpends.bytes;
    },
    chains,
    add: (row) => {
      const transfer = checkTransfer(row);
      if ('fault' in transfer) return transfer.fault;
      const { chain, txid, position, from_address, to_address, coin, amount, usd, at, source } = transfer;
      chains.add(chain);
      lines.add([
        before + lines.count,
        chain,
        txid,
        position,
        from_address,
        to_address,
        coin,
        amount,
        usd,
        at,
        source,
        findCoin(coin)?.chain === chain || usd !== null,
      ]);
      return undefined;
    },
    addCoSpend: (row) => coSpends.add(row),
    store: async (on) => {
      const give = (): Promise<void> => copyInto(on.client, 'pg_temp.given_transfers', lines);
      const stored = lines.count === 0 ? nothingStored : await storeTransfers(on, chains, lines.count, give);
      await coSpends.store(on);
      return stored;
    },
    stage: async (on, table) => {
      await copyInto(on.client, table, lines);
      await coSpends.store(on);
    },
  };
}

/** `give` fills `pg_temp.given_transfers` with that many rows. */
export async function storeTransfers(
  { tx, observer }: BatchTransaction,
  chains: Iterable<Chain>,
  count: number,
  give: () => Promise<unknown>,
): Promise<StoredBatch> {
  await tx.query(temporaryTables);
  await give();
  await addToPrices(tx, 'pg_temp.given_transfers');
  const inserted = (await tx.query(insertTransfers)).rowCount ?? 0;
  const raised = inserted < count ? ((await tx.query(raiseTransfers)).rowCount ?? 0) : 0;
  const changed = inserted + raised;
  const stored = { changed, mergedUsd: inserted < count ? await mergedUsd(tx) : '0' };
  if (changed === 0) return stored;
  await tx.query(addToEdges, [[...chains].flatMap(nobodiesOf)]);
  await tx.query(addToStats);
  await recordTransfers(tx, 'pg_temp.transfer_changes');
  await observer.transfersStored(tx);
  return stored;
}

async function mergedUsd(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ usd: string }>(
    `SELECT trim_scale(coalesce((SELECT sum(usd) FROM pg_temp.given_transfers), 0) - coalesce((SELECT sum(usd) FROM pg_temp.transfer_changes), 0))::text AS usd`,
  );
  return rows[0]?.usd ?? '0';
}

/** `n` numbers the rows of an import. */
export const givenColumns = `
    n bigint, chain text COLLATE "C", txid text COLLATE "C", position integer, from_address text COLLATE "C", to_address text COLLATE "C",
    coin text COLLATE "C", amount numeric, usd numeric, at timestamptz, source text COLLATE "C", dealing boolean`;

/** Per connection, emptied at commit. Changes are differences to add to the sums. */
export const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_transfers (${givenColumns}) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS transfer_changes (
    chain text COLLATE "C", txid text COLLATE "C", from_address text COLLATE "C", to_address text COLLATE "C", coin text COLLATE "C",
    transfers integer, unknown_transfers integer, amount numeric, usd numeric, at timestamptz,
    dealings integer, unknown_dealings integer, internal integer) ON COMMIT DELETE ROWS`;

/**
 * The index transfers_txid finds candidates by a hash of the txid. The rest of the key is compared in a form that no index matches, so
 * that the planner does not scan all transfers of an address.
 */
const isSame = `hashtextextended(t.txid, 0) = hashtextextended(g.txid, 0) AND t.txid = g.txid AND t.chain = g.chain AND t.position = g.position
  AND (t.coin, t.from_address, t.to_address) IS NOT DISTINCT FROM (g.coin, g.from_address, g.to_address)`;

/** A payment of a contract within a transaction. */
export const isInternal = `position >= ${positionsFrom.internal} AND position < ${positionsFrom.derived}`;

/**
 * Reads in the order of one index and writes in that of another, so that neighbours are touched together. Of three indexes two are always
 * out of order; this order leaves the smallest and one large.
 */
const insertTransfers = `
  WITH given AS (
    SELECT DISTINCT ON (hashtextextended(txid, 0), txid, chain, position, coin, from_address, to_address) *
    FROM pg_temp.given_transfers ORDER BY hashtextextended(txid, 0), txid, chain, position, coin, from_address, to_address, n),
  stored AS (
    INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, amount, usd, at, source, dealing)
    SELECT chain, txid, position, from_address, to_address, coin, amount, usd, at, source, dealing FROM given g
    WHERE NOT EXISTS (SELECT FROM chain.transfers t WHERE ${isSame})
    ORDER BY from_address, chain, coin, at DESC
    RETURNING chain, txid, from_address, to_address, coin, amount, usd, at, dealing, position)
  INSERT INTO pg_temp.transfer_changes
  SELECT chain, txid, from_address, to_address, coin, 1, (usd IS NULL)::int, coalesce(amount, 0), coalesce(usd, 0), at,
    dealing::int, (dealing AND usd IS NULL)::int,
    (${isInternal})::int
  FROM stored`;

const raiseTransfers = `
  WITH given AS (
    SELECT chain, txid, position, coin, from_address, to_address, max(amount) AS amount, max(usd) AS usd
    FROM pg_temp.given_transfers GROUP BY chain, txid, position, coin, from_address, to_address ORDER BY hashtextextended(txid, 0)),
  known AS (
    SELECT t.ctid AS place, t.amount AS amount_before, t.usd AS usd_before, t.dealing AS dealing_before, greatest(t.amount, g.amount) AS amount, greatest(t.usd, g.usd) AS usd
    FROM given g JOIN chain.transfers t ON ${isSame}),
  raised AS (
    UPDATE chain.transfers t SET amount = k.amount, usd = k.usd, dealing = t.dealing OR k.usd IS NOT NULL FROM known k
    WHERE t.ctid = k.place AND (k.amount, k.usd) IS DISTINCT FROM (k.amount_before, k.usd_before)
    RETURNING t.chain, t.txid, t.from_address, t.to_address, t.coin, t.at, k.*)
  INSERT INTO pg_temp.transfer_changes
  SELECT chain, txid, from_address, to_address, coin, 0, -(usd_before IS NULL AND usd IS NOT NULL)::int,
    coalesce(amount, 0) - coalesce(amount_before, 0), coalesce(usd, 0) - coalesce(usd_before, 0), at,
    (NOT dealing_before AND usd IS NOT NULL)::int, -(dealing_before AND usd_before IS NULL AND usd IS NOT NULL)::int, 0
  FROM raised`;
