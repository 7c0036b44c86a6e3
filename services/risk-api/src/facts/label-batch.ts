import { checkLabel, type LabelRow } from '@weir/facts';
import { copyInto, CopyLines } from './copy.ts';
import type { BatchTransaction, FactBatch } from './fact-batch.ts';

/**
 * A label is known by chain, address, source, category, name and start; given again with another end or confidence (a delisting) it is
 * corrected, and of two in one batch the later stands.
 */
export function labelBatch(): FactBatch<LabelRow> {
  const lines = new CopyLines();
  return {
    lines,
    add: (row) => {
      const label = checkLabel(row);
      if ('fault' in label) return label.fault;
      const { chain, address, name, category, source, validFrom, validTo, confidence } = label;
      lines.add([lines.count, chain, address, name, category, source, validFrom, validTo, confidence]);
      return undefined;
    },
    store: (on) => storeLabels(on, lines),
  };
}

async function storeLabels({ tx, client }: BatchTransaction, lines: CopyLines): Promise<number> {
  await tx.query(temporaryTables);
  await copyInto(client, 'pg_temp.given_labels', lines);
  const { rowCount } = await tx.query(insertLabels);
  if (rowCount === 0) return 0;
  // Unless it knows how few they are, the planner would begin with the edges.
  await tx.query('ANALYZE pg_temp.stored_labels');
  await tx.query(flagEdges);
  return rowCount ?? 0;
}

/** They belong to the connection and are empty again after the commit. */
const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_labels (
    n integer, chain text COLLATE "C", address text COLLATE "C", name text COLLATE "C", category text COLLATE "C", source text COLLATE "C",
    valid_from timestamptz, valid_to timestamptz, confidence double precision) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS stored_labels (chain text COLLATE "C", address text COLLATE "C", is_new boolean) ON COMMIT DELETE ROWS`;

/** A row that was inserted has never been locked or replaced: its xmax is 0. */
const insertLabels = `
  WITH stored AS (
    INSERT INTO chain.labels AS l (chain, address, source, category, name, valid_from, valid_to, confidence)
    SELECT DISTINCT ON (chain, address, source, category, name, valid_from) chain, address, source, category, name, valid_from, valid_to, confidence
    FROM pg_temp.given_labels ORDER BY chain, address, source, category, name, valid_from, n DESC
    ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence
    WHERE (l.valid_to, l.confidence) IS DISTINCT FROM (excluded.valid_to, excluded.confidence)
    RETURNING chain, address, xmax = 0 AS is_new)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, is_new FROM stored`;

/** Whoever deals with a newly labelled address is found by that address's own edges: each pair stands twice. */
const flagEdges = `
  UPDATE chain.edges e SET peer_labelled = true
  FROM (SELECT DISTINCT chain, address FROM pg_temp.stored_labels WHERE is_new) l
  JOIN chain.edges own ON left(own.address, 12) = left(l.address, 12) AND own.address = l.address AND own.chain = l.chain
  WHERE left(e.address, 12) = left(own.peer, 12) AND hashtextextended(e.peer, 0) = hashtextextended(own.address, 0)
    AND e.chain = own.chain AND e.address = own.peer AND e.side = 1 - own.side AND e.peer = own.address AND NOT e.peer_labelled`;
