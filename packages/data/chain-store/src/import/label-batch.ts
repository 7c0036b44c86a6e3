import { checkLabel, type LabelRow } from '@weir/chain-import';
import { chains } from '@weir/chains';
import { categoryFault } from '@weir/risk-engine';
import { recordLabels } from './chain-data.ts';
import { copyInto, CopyLines } from './copy.ts';
import type { BatchTransaction, ChainBatch, StoredBatch } from './chain-batch.ts';

/**
 * The key of a label: chain, address, source, category, name and start. A repetition (a delisting) corrects end and confidence; the later
 * of two in one batch wins.
 */
export function labelBatch(): ChainBatch<LabelRow> {
  const lines = new CopyLines();
  const ofChains = new Set<string>();
  return {
    lines,
    chains: ofChains,
    add: (row) => {
      const label = checkLabel(row);
      if ('fault' in label) return label.fault;
      const unknown = categoryFault(label.category);
      if (unknown !== undefined) return unknown;
      const { chain, address, name, category, source, valid_from, valid_to, confidence, source_kind, authority } = label;
      ofChains.add(chain);
      lines.add([lines.count, chain, address, name, category, source, valid_from, valid_to, confidence, source_kind, authority]);
      return undefined;
    },
    store: (on) => storeLabels(on, lines),
  };
}

async function storeLabels({ tx, client, observer }: BatchTransaction, lines: CopyLines): Promise<StoredBatch> {
  await tx.query(temporaryTables);
  await copyInto(client, 'pg_temp.given_labels', lines);
  const { rowCount } = await tx.query(insertLabels);
  await tx.query(endCopies, [chains]);
  await recordLabels(tx);
  const stored = { changed: rowCount ?? 0, mergedUsd: '0' };
  if (stored.changed === 0) return stored;
  // Without statistics the planner would begin with the edges.
  await tx.query('ANALYZE pg_temp.stored_labels');
  await tx.query(flagEdges);
  await observer.labelsStored(tx);
  return stored;
}

/** Per connection, emptied at commit. */
const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_labels (
    n integer, chain text COLLATE "C", address text COLLATE "C", name text COLLATE "C", category text COLLATE "C", source text COLLATE "C",
    valid_from timestamptz, valid_to timestamptz, confidence double precision, source_kind text COLLATE "C", authority text COLLATE "C") ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS stored_labels (chain text COLLATE "C", address text COLLATE "C", category text COLLATE "C", valid_from timestamptz, valid_to timestamptz,
    is_new boolean, authority text COLLATE "C") ON COMMIT DELETE ROWS`;

/** xmax is 0 for an inserted row, which was never locked or updated. */
const insertLabels = `
  WITH stored AS (
    INSERT INTO chain.labels AS l (chain, address, source, category, name, valid_from, valid_to, confidence, source_kind, authority)
    SELECT DISTINCT ON (chain, address, source, category, name, valid_from) chain, address, source, category, name, valid_from, valid_to, confidence,
      source_kind, authority
    FROM pg_temp.given_labels ORDER BY chain, address, source, category, name, valid_from, n DESC
    ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence,
      source_kind = excluded.source_kind, authority = excluded.authority
    WHERE (l.valid_to, l.confidence, l.source_kind, l.authority) IS DISTINCT FROM (excluded.valid_to, excluded.confidence, excluded.source_kind, excluded.authority)
    RETURNING chain, address, category, valid_from, valid_to, xmax = 0 AS is_new, authority)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, is_new, authority FROM stored`;

/**
 * A copy of a listing has no end of its own: it ends with the authority's, whichever is imported first. A new listing needs no copy. $1: all
 * chains, by which the index of the labels begins. Chains with the same addresses share their listings.
 */
const endCopies = `
  WITH touched AS MATERIALIZED (SELECT DISTINCT address, authority FROM pg_temp.stored_labels WHERE authority IS NOT NULL),
  ended AS MATERIALIZED (
    SELECT t.address, t.authority, max(l.valid_to) AS valid_to FROM touched t CROSS JOIN unnest($1::text[]) AS c (chain)
    JOIN chain.labels l ON l.chain = c.chain AND l.address = t.address AND l.authority = t.authority AND l.source_kind = 'authority'
    GROUP BY t.address, t.authority HAVING bool_and(l.valid_to IS NOT NULL)),
  copies AS MATERIALIZED (
    SELECT l.ctid AS place, e.valid_to FROM ended e CROSS JOIN unnest($1::text[]) AS c (chain)
    JOIN chain.labels l ON l.chain = c.chain AND l.address = e.address AND l.authority = e.authority AND l.source_kind <> 'authority' AND l.valid_to IS NULL),
  closed AS (
    UPDATE chain.labels l SET valid_to = c.valid_to FROM copies c WHERE l.ctid = c.place
    RETURNING l.chain, l.address, l.category, l.valid_from, l.valid_to, l.authority)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority FROM closed`;

/**
 * Finds the counterparties through the address's own edges: each pair is stored twice. OFFSET 0 fixes this order, because the planner
 * would scan all edges for each label.
 */
const flagEdges = `
  UPDATE chain.edges e SET peer_labelled = true
  FROM (SELECT DISTINCT chain, address FROM pg_temp.stored_labels WHERE is_new) l
  CROSS JOIN LATERAL (SELECT o.chain, o.address, o.side, o.peer FROM chain.edges o
    WHERE left(o.address, 12) = left(l.address, 12) AND o.address = l.address AND o.chain = l.chain OFFSET 0) own
  WHERE left(e.address, 12) = left(own.peer, 12) AND hashtextextended(e.peer, 0) = hashtextextended(own.address, 0)
    AND e.chain = own.chain AND e.address = own.peer AND e.side = 1 - own.side AND e.peer = own.address AND NOT e.peer_labelled`;
