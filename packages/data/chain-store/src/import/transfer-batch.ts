import { checkTransfer, positionsFrom, type TransferRow } from '@weir/chain-import';
import { coins, findCoin, isNobody } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { CoSpends } from '../clusters/co-spends.ts';
import { inLabelledCluster } from '../clusters/member-labels.ts';
import { recordTransfers } from './chain-data.ts';
import { copyInto, CopyLines } from './copy.ts';
import { type BatchTransaction, type ChainBatch, nothingStored, type StoredBatch } from './chain-batch.ts';
import { changesFlows } from './observer.ts';

/**
 * The key of a transfer: chain, txid, position, coin and addresses; without a txid all of its content. On a repetition the larger amount
 * and value win, and any known one wins over an unknown, so import order does not matter and prices may come later. The difference is
 * added to the sums by coin. It is added to pairs and sides when the coin or the value is known. Prices use the last value of a transfer,
 * so that a wrong one can be corrected.
 */
export function transferBatch(): ChainBatch<TransferRow> {
  const lines = new CopyLines();
  const chains = new Set<string>();
  const nobodies = new Set<string>();
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
      for (const address of [from_address, to_address]) if (isNobody(chain, address)) nobodies.add(address);
      chains.add(chain);
      lines.add([
        lines.count,
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
      const stored = lines.count === 0 ? nothingStored : await storeTransfers(on, lines, [...nobodies]);
      await coSpends.store(on);
      return stored;
    },
  };
}

async function storeTransfers(
  { tx, client, observer }: BatchTransaction,
  lines: CopyLines,
  nobodies: readonly string[],
): Promise<StoredBatch> {
  await tx.query(temporaryTables);
  await copyInto(client, 'pg_temp.given_transfers', lines);
  await tx.query(addToPrices, [coins.map(({ symbol }) => symbol), coins.map(({ chain }) => chain)]);
  const inserted = (await tx.query(insertTransfers)).rowCount ?? 0;
  const raised = inserted < lines.count ? ((await tx.query(raiseTransfers)).rowCount ?? 0) : 0;
  const changed = inserted + raised;
  const stored = { changed, mergedUsd: inserted < lines.count ? await mergedUsd(tx) : '0' };
  if (changed === 0) return stored;
  await tx.query(addToEdges, [nobodies]);
  await tx.query(addToStats);
  await recordTransfers(tx);
  await observer.transfersStored(tx);
  return stored;
}

async function mergedUsd(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ usd: string }>(
    `SELECT trim_scale(coalesce((SELECT sum(usd) FROM pg_temp.given_transfers), 0) - coalesce((SELECT sum(usd) FROM pg_temp.transfer_changes), 0))::text AS usd`,
  );
  return rows[0]?.usd ?? '0';
}

/** Per connection, emptied at commit. Changes are differences to add to the sums. */
const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_transfers (
    n integer, chain text COLLATE "C", txid text COLLATE "C", position integer, from_address text COLLATE "C", to_address text COLLATE "C",
    coin text COLLATE "C", amount numeric, usd numeric, at timestamptz, source text COLLATE "C", dealing boolean) ON COMMIT DELETE ROWS;
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
    (position >= ${positionsFrom.internal} AND position < ${positionsFrom.derived})::int
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

/**
 * Each pair once for each of its addresses, and the sums by side. Excludes nobodies ($1) and transfers to oneself. A pair without a place
 * is new and adds a peer to the side.
 */
const addToEdges = `
  WITH pairs AS (
    SELECT chain, from_address, to_address, sum(dealings) AS transfers, sum(unknown_dealings) AS unknown_transfers, sum(usd) AS usd
    FROM pg_temp.transfer_changes
    WHERE ${changesFlows} AND NOT (from_address = ANY ($1::text[]) OR to_address = ANY ($1::text[]))
    GROUP BY chain, from_address, to_address),
  sums AS MATERIALIZED (
    SELECT * FROM (
      SELECT chain, to_address AS address, 0::smallint AS side, from_address AS peer, transfers, unknown_transfers, usd FROM pairs
      UNION ALL SELECT chain, from_address, 1::smallint, to_address, transfers, unknown_transfers, usd FROM pairs) p
    ORDER BY address, chain, side, peer),
  placed AS MATERIALIZED (
    SELECT s.*, e.ctid AS place FROM sums s
    LEFT JOIN chain.edges e ON left(e.address, 12) = left(s.address, 12) AND hashtextextended(e.peer, 0) = hashtextextended(s.peer, 0)
      AND e.address = s.address AND e.peer = s.peer AND e.chain = s.chain AND e.side = s.side),
  added AS (
    UPDATE chain.edges e SET transfers = e.transfers + p.transfers, unknown_transfers = e.unknown_transfers + p.unknown_transfers, usd = e.usd + p.usd
    FROM placed p WHERE e.ctid = p.place),
  stored AS (
    INSERT INTO chain.edges (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
    SELECT chain, address, side, peer, EXISTS (SELECT FROM chain.labels l WHERE l.chain = p.chain AND l.address = p.peer) OR ${inLabelledCluster('p.chain', 'p.peer')},
      transfers, unknown_transfers, usd
    FROM placed p WHERE place IS NULL)
  INSERT INTO chain.sides AS d (chain, address, side, peers, transfers, unknown_transfers, usd)
  SELECT chain, address, side, count(*) FILTER (WHERE place IS NULL), sum(transfers), sum(unknown_transfers), sum(usd)
  FROM placed GROUP BY chain, address, side ORDER BY address, chain, side
  ON CONFLICT (chain, address, side) DO UPDATE SET peers = d.peers + excluded.peers, transfers = d.transfers + excluded.transfers,
    unknown_transfers = d.unknown_transfers + excluded.unknown_transfers, usd = d.usd + excluded.usd`;

const addToStats = `
  INSERT INTO chain.address_stats AS s (chain, address, coin, received_transfers, spent_transfers, received_amount, spent_amount,
    received_usd, spent_usd, received_unknown, spent_unknown, first_at, last_at)
  SELECT chain, address, coin, sum(transfers * received), sum(transfers * spent), sum(amount * received), sum(amount * spent),
    sum(usd * received), sum(usd * spent), sum(unknown_transfers * received), sum(unknown_transfers * spent), min(at), max(at)
  FROM (SELECT chain, to_address AS address, coin, 1 AS received, 0 AS spent, transfers, unknown_transfers, amount, usd, at FROM pg_temp.transfer_changes
    UNION ALL SELECT chain, from_address, coin, 0, 1, transfers, unknown_transfers, amount, usd, at FROM pg_temp.transfer_changes) m
  GROUP BY chain, address, coin ORDER BY address, chain, coin
  ON CONFLICT (chain, address, coin) DO UPDATE SET
    received_transfers = s.received_transfers + excluded.received_transfers, spent_transfers = s.spent_transfers + excluded.spent_transfers,
    received_amount = s.received_amount + excluded.received_amount, spent_amount = s.spent_amount + excluded.spent_amount,
    received_usd = s.received_usd + excluded.received_usd, spent_usd = s.spent_usd + excluded.spent_usd,
    received_unknown = s.received_unknown + excluded.received_unknown, spent_unknown = s.spent_unknown + excluded.spent_unknown,
    first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)`;

/** Prices kept for a day; an odd number has a median among them. */
const quotesADay = 25;
/** By key, so that import order does not matter. */
const firstOf = (quotes: string): string =>
  `(SELECT jsonb_object_agg(key, value) FROM (SELECT key, value FROM jsonb_each(${quotes}) ORDER BY key COLLATE "C" LIMIT ${quotesADay}) q)`;

/**
 * Only coins in the table of coins ($1, $2): anybody can create a token, and each would add a row a day. Exports round values below one
 * dollar too coarsely for a price. A repeated transfer replaces its earlier price.
 */
const addToPrices = `
  WITH quotes AS (
    SELECT DISTINCT ON (coin, day, key) g.coin, (g.at AT TIME ZONE 'UTC')::date AS day, trim_scale(round(g.usd / g.amount, 18))::text AS usd,
      left(md5(concat_ws(' ', g.txid, g.position, g.from_address, g.to_address)), 16) AS key
    FROM pg_temp.given_transfers g JOIN unnest($1::text[], $2::text[]) AS k(coin, chain) ON k.coin = g.coin AND k.chain = g.chain
    WHERE g.amount > 0 AND g.usd >= 1 ORDER BY coin, day, key, g.n DESC),
  days AS (
    SELECT coin, day, jsonb_object_agg(key, usd) AS quotes
    FROM (SELECT *, row_number() OVER (PARTITION BY coin, day ORDER BY key COLLATE "C") AS place FROM quotes) q WHERE place <= ${quotesADay} GROUP BY coin, day)
  INSERT INTO chain.prices AS p (coin, day, quotes) SELECT coin, day, quotes FROM days ORDER BY 1, 2
  ON CONFLICT (coin, day) DO UPDATE SET quotes = ${firstOf('p.quotes || excluded.quotes')}
  WHERE p.quotes IS DISTINCT FROM ${firstOf('p.quotes || excluded.quotes')}`;
