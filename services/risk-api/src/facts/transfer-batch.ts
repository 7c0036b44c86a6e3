import { isNobody } from '@weir/chains';
import { checkTransfer, type TransferRow } from '@weir/facts';
import { copyInto, copyLine } from './copy.ts';
import type { BatchTransaction, FactBatch } from './fact-batch.ts';

/**
 * A transfer is known by chain, txid, position, coin and addresses, and without a txid by all of its content. Given again with another
 * amount or value, the larger stands, and any is larger than one not known: so no order of loading matters, and prices can come later.
 * What changes is added to the sums by pair, by side and by coin.
 */
export function transferBatch(): FactBatch<TransferRow> {
  const lines: string[] = [];
  const nobodies = new Set<string>();
  return {
    get size() {
      return lines.length;
    },
    add: (row) => {
      const transfer = checkTransfer(row);
      if ('fault' in transfer) return transfer.fault;
      const { chain, txid, position, fromAddress, toAddress, coin, amount, usd, at, source } = transfer;
      for (const address of [fromAddress, toAddress]) if (isNobody(chain, address)) nobodies.add(address);
      lines.push(copyLine([lines.length, chain, txid, position, fromAddress, toAddress, coin, amount, usd, at, source]));
      return undefined;
    },
    store: (on) => storeTransfers(on, lines, [...nobodies]),
  };
}

async function storeTransfers({ tx, client }: BatchTransaction, lines: readonly string[], nobodies: readonly string[]): Promise<number> {
  await tx.query(temporaryTables);
  await copyInto(client, 'pg_temp.given_transfers', lines);
  let changed = (await tx.query(insertTransfers)).rowCount ?? 0;
  if (changed < lines.length) {
    // The planner knows nothing of a new table, and would read all transfers there are.
    await tx.query('SET LOCAL enable_hashjoin = off');
    await tx.query('SET LOCAL enable_mergejoin = off');
    changed += (await tx.query(raiseTransfers)).rowCount ?? 0;
  }
  if (changed === 0) return 0;
  await tx.query(addToEdges, [nobodies]);
  await tx.query(addToStats);
  return changed;
}

/** They belong to the connection and are empty again after the commit. What changed is told as what is to be added to the sums. */
const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_transfers (
    n integer, chain text COLLATE "C", txid text COLLATE "C", position integer, from_address text COLLATE "C", to_address text COLLATE "C",
    coin text COLLATE "C", amount numeric, usd numeric, at timestamptz, source text COLLATE "C") ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS transfer_changes (
    chain text COLLATE "C", from_address text COLLATE "C", to_address text COLLATE "C", coin text COLLATE "C",
    transfers integer, unknown_transfers integer, amount numeric, usd numeric, at timestamptz) ON COMMIT DELETE ROWS`;

/** In the order of the primary key, as everywhere here: neighbours in the index are then written together. */
const insertTransfers = `
  WITH stored AS (
    INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, amount, usd, at, source)
    SELECT chain, txid, position, from_address, to_address, coin, amount, usd, at, source FROM pg_temp.given_transfers
    ORDER BY txid, chain, position, coin, from_address, to_address, n
    ON CONFLICT DO NOTHING
    RETURNING chain, from_address, to_address, coin, amount, usd, at)
  INSERT INTO pg_temp.transfer_changes
  SELECT chain, from_address, to_address, coin, 1, (usd IS NULL)::int, coalesce(amount, 0), coalesce(usd, 0), at FROM stored`;

/** By txid: the comparison of the rest is one that no index knows, lest the planner goes through all transfers of an address. */
const raiseTransfers = `
  WITH given AS (
    SELECT chain, txid, position, coin, from_address, to_address, max(amount) AS amount, max(usd) AS usd
    FROM pg_temp.given_transfers GROUP BY chain, txid, position, coin, from_address, to_address),
  known AS (
    SELECT t.ctid AS place, t.amount AS amount_before, t.usd AS usd_before, greatest(t.amount, g.amount) AS amount, greatest(t.usd, g.usd) AS usd
    FROM given g JOIN chain.transfers t ON t.txid = g.txid AND t.chain = g.chain AND t.position = g.position
      AND (t.coin, t.from_address, t.to_address) IS NOT DISTINCT FROM (g.coin, g.from_address, g.to_address)),
  raised AS (
    UPDATE chain.transfers t SET amount = k.amount, usd = k.usd FROM known k
    WHERE t.ctid = k.place AND (k.amount, k.usd) IS DISTINCT FROM (k.amount_before, k.usd_before)
    RETURNING t.chain, t.from_address, t.to_address, t.coin, t.at, k.*)
  INSERT INTO pg_temp.transfer_changes
  SELECT chain, from_address, to_address, coin, 0, -(usd_before IS NULL AND usd IS NOT NULL)::int,
    coalesce(amount, 0) - coalesce(amount_before, 0), coalesce(usd, 0) - coalesce(usd_before, 0), at FROM raised`;

/**
 * Each pair once for either of its addresses, and their sums by side. Nobodies ($1) and an address and itself are no pair. An edge that
 * was inserted, and not added to, has never been locked or replaced: its xmax is 0, and the side has one peer more.
 */
const addToEdges = `
  WITH pairs AS (
    SELECT chain, from_address, to_address, sum(transfers) AS transfers, sum(unknown_transfers) AS unknown_transfers, sum(usd) AS usd
    FROM pg_temp.transfer_changes
    WHERE from_address <> to_address AND NOT (from_address = ANY ($1::text[]) OR to_address = ANY ($1::text[]))
    GROUP BY chain, from_address, to_address),
  sums AS (
    SELECT chain, to_address AS address, 0::smallint AS side, from_address AS peer, transfers, unknown_transfers, usd FROM pairs
    UNION ALL SELECT chain, from_address, 1::smallint, to_address, transfers, unknown_transfers, usd FROM pairs),
  stored AS (
    INSERT INTO chain.edges AS e (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
    SELECT chain, address, side, peer, EXISTS (SELECT FROM chain.labels l WHERE l.chain = s.chain AND l.address = s.peer),
      transfers, unknown_transfers, usd
    FROM sums s ORDER BY address, chain, side, peer
    ON CONFLICT (chain, address, side, peer) DO UPDATE SET transfers = e.transfers + excluded.transfers,
      unknown_transfers = e.unknown_transfers + excluded.unknown_transfers, usd = e.usd + excluded.usd
    RETURNING chain, address, side, (xmax = 0)::int AS is_new)
  INSERT INTO chain.sides AS d (chain, address, side, peers, transfers, unknown_transfers, usd)
  SELECT chain, address, side, sum(peers), sum(transfers), sum(unknown_transfers), sum(usd)
  FROM (SELECT chain, address, side, 0 AS peers, transfers, unknown_transfers, usd FROM sums
    UNION ALL SELECT chain, address, side, is_new, 0, 0, 0 FROM stored) c
  GROUP BY chain, address, side ORDER BY address, chain, side
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
