import { checkLabel, type LabelRow } from '@weir/chain-import';
import { type Chain, chains } from '@weir/chains';
import { categoryFault } from '@weir/risk-engine';
import { recordLabels } from './chain-data.ts';
import { copyInto, CopyLines } from './copy.ts';
import { spreadLabels } from '../clusters/member-labels.ts';
import { endCopies, flagEdges, labelTables } from './label-statements.ts';
import type { BatchTransaction, ChainBatch, StoredBatch } from './chain-batch.ts';

/**
 * The key of a label: chain, address, source, category, name and start. A repetition (a delisting) corrects end and confidence; the later
 * of two in one batch wins.
 */
export function labelBatch(): ChainBatch<LabelRow> {
  const lines = new CopyLines();
  const ofChains = new Set<Chain>();
  return {
    get count() {
      return lines.count;
    },
    get bytes() {
      return lines.bytes;
    },
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

async function storeLabels({ tx, client, observer, run }: BatchTransaction, lines: CopyLines): Promise<StoredBatch> {
  await tx.query(labelTables);
  await copyInto(client, 'pg_temp.given_labels', lines);
  const { rowCount } = await tx.query(insertLabels);
  if (run !== undefined) await tx.query(claimLabels, [run]);
  await tx.query(endCopies, [chains]);
  await recordLabels(tx);
  const stored = { changed: rowCount ?? 0, mergedUsd: '0' };
  if (stored.changed === 0) return stored;
  await spreadLabels(tx);
  // Without statistics the planner would begin with the edges.
  await tx.query('ANALYZE pg_temp.stored_labels');
  await tx.query(flagEdges);
  await observer.labelsStored(tx);
  return stored;
}

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

/** Labels that this run gave, also known ones: taking one import back must not take what another gave too. */
const claimLabels = `
  UPDATE chain.labels l SET run_ids = l.run_ids || $1::bigint
  FROM (SELECT DISTINCT chain, address, source, category, name, valid_from FROM pg_temp.given_labels) g
  WHERE l.chain = g.chain AND l.address = g.address AND l.source = g.source AND l.category = g.category AND l.name = g.name
    AND l.valid_from IS NOT DISTINCT FROM g.valid_from AND NOT l.run_ids @> ARRAY[$1::bigint]`;
