import { chains as everyChain, listedOn } from '@weir/chains';
import { checkLabel, type LabelRow } from '@weir/chain-import';
import { categoryFault, sanctionCategories } from '@weir/risk-engine';
import { recordLabels } from '../chain-data/record.ts';
import { isBeforeAllScores } from './before-scores.ts';
import { copyInto, CopyLines } from './copy.ts';
import type { BatchTransaction, FactBatch } from './fact-batch.ts';

/**
 * A label is known by chain, address, source, category, name and start; given again with another end or confidence (a delisting) it is
 * corrected, and of two in one batch the later stands.
 */
export function labelBatch(): FactBatch<LabelRow> {
  const lines = new CopyLines();
  const chains = new Set<string>();
  return {
    lines,
    chains,
    add: (row) => {
      const label = checkLabel(row);
      if ('fault' in label) return label.fault;
      const unknown = categoryFault(label.category);
      if (unknown !== undefined) return unknown;
      const { chain, address, name, category, source, validFrom, validTo, confidence } = label;
      chains.add(chain);
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
  await recordLabels(tx);
  if (rowCount === 0) return 0;
  await tx.query(noteMoments, countingValues);
  // Unless it knows how few they are, the planner would begin with the edges.
  await tx.query('ANALYZE pg_temp.stored_labels');
  await tx.query(flagEdges);
  if (!(await isBeforeAllScores(tx))) await tx.query(noteChanges, countingValues);
  return rowCount ?? 0;
}

/** They belong to the connection and are empty again after the commit. */
const temporaryTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_labels (
    n integer, chain text COLLATE "C", address text COLLATE "C", name text COLLATE "C", category text COLLATE "C", source text COLLATE "C",
    valid_from timestamptz, valid_to timestamptz, confidence double precision) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS stored_labels (chain text COLLATE "C", address text COLLATE "C", category text COLLATE "C", valid_from timestamptz, valid_to timestamptz,
    is_new boolean) ON COMMIT DELETE ROWS`;

/** A row that was inserted has never been locked or replaced: its xmax is 0. */
const insertLabels = `
  WITH stored AS (
    INSERT INTO chain.labels AS l (chain, address, source, category, name, valid_from, valid_to, confidence)
    SELECT DISTINCT ON (chain, address, source, category, name, valid_from) chain, address, source, category, name, valid_from, valid_to, confidence
    FROM pg_temp.given_labels ORDER BY chain, address, source, category, name, valid_from, n DESC
    ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence
    WHERE (l.valid_to, l.confidence) IS DISTINCT FROM (excluded.valid_to, excluded.confidence)
    RETURNING chain, address, category, valid_from, valid_to, xmax = 0 AS is_new)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, is_new FROM stored`;

/** A change that already waits is held until this one is committed, so that it is not taken up before. */
const hold = 'ON CONFLICT (due_at, chain, address) WHERE NOT taken DO UPDATE SET stored_at = c.stored_at';

/** Each label once for every chain on which it counts: a sanctions listing ($3) on all that share the address ($1, $2). */
const counting = `
  pg_temp.stored_labels l JOIN unnest($1::text[], $2::text[]) m (chain, counts_on)
    ON m.chain = l.chain AND (m.counts_on = l.chain OR lower(l.category) = ANY ($3))`;
const countsOn = everyChain.flatMap((chain) => listedOn(chain).map((other) => [chain, other] as const));
const countingValues = [countsOn.map(([chain]) => chain), countsOn.map(([, other]) => other), sanctionCategories];

/** Which scores rest on these labels is found out when they are in force. */
const noteChanges = `
  INSERT INTO risk.label_changes AS c (chain, address) SELECT DISTINCT m.counts_on, l.address FROM ${counting} ${hold}`;

/** And when one begins or ends by itself. What is about to counts as to come, for clocks differ. */
const noteMoments = `
  INSERT INTO risk.label_changes AS c (chain, address, due_at)
  SELECT DISTINCT m.counts_on, l.address, moment.due_at FROM ${counting}
  CROSS JOIN LATERAL (VALUES (l.valid_from), (l.valid_to)) moment (due_at)
  WHERE moment.due_at > now() - interval '1 minute' ${hold}`;

/**
 * Whoever deals with a newly labelled address is found by that address's own edges: each pair stands twice. OFFSET 0 keeps that order: the planner takes an
 * edge's counterpart for a far rarer thing than it is, and would go through all edges for each label.
 */
const flagEdges = `
  UPDATE chain.edges e SET peer_labelled = true
  FROM (SELECT DISTINCT chain, address FROM pg_temp.stored_labels WHERE is_new) l
  CROSS JOIN LATERAL (SELECT o.chain, o.address, o.side, o.peer FROM chain.edges o
    WHERE left(o.address, 12) = left(l.address, 12) AND o.address = l.address AND o.chain = l.chain OFFSET 0) own
  WHERE left(e.address, 12) = left(own.peer, 12) AND hashtextextended(e.peer, 0) = hashtextextended(own.address, 0)
    AND e.chain = own.chain AND e.address = own.peer AND e.side = 1 - own.side AND e.peer = own.address AND NOT e.peer_labelled`;
