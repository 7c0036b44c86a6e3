import type { Queryable } from '@weir/postgres';
import { clusterWeights, sharedCategories } from '@weir/risk-engine';

/**
 * Labels of members count for the other members, so a change of one is a change of all. These statements add the other members to
 * `pg_temp.stored_labels`, from which edges are flagged and outdated scores are found.
 */

/** SQL condition: a member of the address's cluster has a label that counts for the others. */
export const inLabelledCluster = (chain: string, address: string): string => `
  EXISTS (SELECT FROM chain.cluster_members m JOIN chain.clusters c ON c.id = m.cluster JOIN chain.cluster_labels k ON k.cluster = c.root
    WHERE m.address = ${address} AND m.chain = ${chain})`;

/** SQL: the addresses that have a label of any time, or share one of their cluster. */
export const labelledAddresses = `
  SELECT chain, address FROM chain.labels
  UNION SELECT m.chain, m.address FROM chain.cluster_labels k JOIN chain.clusters c ON c.root = k.cluster JOIN chain.cluster_members m ON m.cluster = c.id`;

/** Start or end in the future; those of the past change nothing later. */
const moments = `
  CASE WHEN l.valid_from > now() - interval '1 minute' THEN l.valid_from END AS valid_from,
  CASE WHEN l.valid_to > now() - interval '1 minute' THEN l.valid_to END AS valid_to`;

/** Members of one category whose labels are looked at. A score reads fewer. */
const mostMembers = 1_000;

/** Labels of each cluster of `from`, whose column `root` is its root; $1: the shared categories. Most clusters have none. */
const labelsOf = (from: string): string => `
  ${from} CROSS JOIN LATERAL (
    SELECT l.category, l.confidence, l.valid_from, l.valid_to FROM unnest($1::text[]) AS s (category)
    CROSS JOIN LATERAL (
      SELECT * FROM chain.cluster_labels k WHERE k.cluster = root AND k.category = s.category ORDER BY k.address LIMIT ${mostMembers}) k
    JOIN chain.labels l ON l.chain = k.chain AND l.address = k.address AND lower(l.category) = k.category OFFSET 0) l
  WHERE EXISTS (SELECT FROM chain.cluster_labels k WHERE k.cluster = root)`;

/** One as strong holds for good in the cluster, so another one changes no score. An accusation counts in a small cluster alone. */
const hasAlready = (root: string, category: string, confidence: string, except = 'NULL'): string => `
  EXISTS (SELECT FROM chain.cluster_labels k JOIN chain.labels o ON o.chain = k.chain AND o.address = k.address AND lower(o.category) = k.category
    WHERE k.cluster = ${root} AND k.category = lower(${category}) AND k.address IS DISTINCT FROM ${except} AND o.confidence >= ${confidence}
      AND o.valid_to IS NULL AND coalesce(o.valid_from <= now(), true))`;

/** Before a merge: members of a touched cluster gain the labels of the other clusters and of new members. $2: addresses of an accused cluster. */
const gainedByMembers = `
  WITH sources AS MATERIALIZED (
    SELECT target, root AS part, l.category, l.confidence, l.valid_from, l.valid_to FROM ${labelsOf('pg_temp.merged_roots')}
    UNION ALL
    SELECT t.cluster, 0, l.category, l.confidence, l.valid_from, l.valid_to FROM pg_temp.given_signers g
    JOIN pg_temp.group_clusters t USING (group_number) JOIN chain.labels l ON l.chain = g.chain AND l.address = g.address AND lower(l.category) = ANY ($1)
    WHERE NOT EXISTS (SELECT FROM chain.cluster_members m WHERE m.address = g.address AND m.chain = g.chain)),
  gained AS MATERIALIZED (
    SELECT DISTINCT r.root, l.category, ${moments} FROM pg_temp.merged_roots r JOIN sources l ON l.target = r.target AND l.part <> r.root
    WHERE NOT ${hasAlready('r.root', 'l.category', 'l.confidence')}),
  grown AS MATERIALIZED (
    SELECT r.target, sum(c.addresses) + (SELECT count(*) FROM pg_temp.given_signers g JOIN pg_temp.group_clusters t USING (group_number) WHERE t.cluster = r.target) AS most
    FROM pg_temp.merged_roots r JOIN chain.clusters c ON c.id = r.root GROUP BY r.target),
  outgrown AS MATERIALIZED (
    SELECT DISTINCT r.root, l.category, ${moments} FROM pg_temp.merged_roots r JOIN chain.clusters c ON c.id = r.root
    JOIN grown n ON n.target = r.target AND n.most > $2 JOIN sources l ON l.target = r.target WHERE c.addresses <= $2)
  INSERT INTO pg_temp.stored_labels (chain, address, category, valid_from, valid_to, is_new)
  SELECT m.chain, m.address, g.category, g.valid_from, g.valid_to, true FROM (SELECT * FROM gained UNION SELECT * FROM outgrown) g
  JOIN chain.clusters c ON c.root = g.root JOIN chain.cluster_members m ON m.cluster = c.id`;

export async function noteGainedLabels(tx: Queryable): Promise<void> {
  await tx.query(gainedByMembers, [sharedCategories, clusterWeights.accusation_addresses]);
}

const moveLabels = `
  UPDATE chain.cluster_labels l SET cluster = r.target FROM pg_temp.merged_roots r WHERE l.cluster = r.root AND r.root <> r.target`;

const addLabels = `
  INSERT INTO chain.cluster_labels (cluster, category, chain, address)
  SELECT DISTINCT n.cluster, lower(l.category), l.chain, l.address FROM pg_temp.new_members n
  JOIN chain.labels l ON l.chain = n.chain AND l.address = n.address AND lower(l.category) = ANY ($1)`;

const gainedByNewMembers = `
  WITH gained AS MATERIALIZED (
    SELECT DISTINCT root, l.category, ${moments} FROM ${labelsOf('(SELECT DISTINCT cluster AS root FROM pg_temp.new_members) n')})
  INSERT INTO pg_temp.stored_labels (chain, address, category, valid_from, valid_to, is_new)
  SELECT n.chain, n.address, g.category, g.valid_from, g.valid_to, true FROM pg_temp.new_members n JOIN gained g ON g.root = n.cluster`;

/** After a merge: the labels of its members stand with the root, and new members gain them. */
export async function storeMemberLabels(tx: Queryable): Promise<void> {
  await tx.query(moveLabels);
  await tx.query(addLabels, [sharedCategories]);
  await tx.query(gainedByNewMembers, [sharedCategories]);
}

const ofMembers = `
  pg_temp.own_labels s JOIN chain.cluster_members m ON m.address = s.address AND m.chain = s.chain JOIN chain.clusters c ON c.id = m.cluster`;

const ownLabels = `
  CREATE TEMP TABLE IF NOT EXISTS own_labels (LIKE pg_temp.stored_labels) ON COMMIT DELETE ROWS;
  INSERT INTO pg_temp.own_labels SELECT * FROM pg_temp.stored_labels;
  ANALYZE pg_temp.own_labels`;

const spreadChanges = `
  WITH changes AS MATERIALIZED (
    SELECT c.root, l.category, ${moments}, bool_or(coalesce(l.is_new, false)) AS is_new, bool_or(coalesce(l.is_gone, false)) AS is_gone
    FROM ${ofMembers} CROSS JOIN LATERAL (SELECT s.*) l
    WHERE lower(l.category) = ANY ($1) AND NOT (coalesce(l.is_new, false) AND ${hasAlready(
      'c.root',
      'l.category',
      `(SELECT max(g.confidence) FROM chain.labels g WHERE g.chain = l.chain AND g.address = l.address AND g.category = l.category)`,
      'l.address',
    )})
    GROUP BY 1, 2, 3, 4)
  INSERT INTO pg_temp.stored_labels (chain, address, category, valid_from, valid_to, is_new, is_gone)
  SELECT m.chain, m.address, s.category, s.valid_from, s.valid_to, s.is_new, s.is_gone FROM changes s
  JOIN chain.clusters c ON c.root = s.root JOIN chain.cluster_members m ON m.cluster = c.id`;

const keepLabels = `
  INSERT INTO chain.cluster_labels (cluster, category, chain, address)
  SELECT DISTINCT c.root, lower(s.category), s.chain, s.address FROM ${ofMembers} WHERE s.is_new AND lower(s.category) = ANY ($1)
  ON CONFLICT DO NOTHING`;

const dropLabels = `
  DELETE FROM chain.cluster_labels k USING (
    SELECT DISTINCT c.root, lower(s.category) AS category, s.chain, s.address FROM ${ofMembers} WHERE s.is_gone) s
  WHERE k.cluster = s.root AND k.category = s.category AND k.address = s.address
    AND NOT EXISTS (SELECT FROM chain.labels l WHERE l.chain = s.chain AND l.address = s.address AND lower(l.category) = s.category)`;

/**
 * Once for `pg_temp.stored_labels`, after everything that counts its rows. Labels stand with their cluster last of all: the other members'
 * rows would look like labels of their own.
 */
export async function spreadLabels(tx: Queryable): Promise<void> {
  await tx.query(ownLabels);
  await tx.query(dropLabels);
  await tx.query(spreadChanges, [sharedCategories]);
  await tx.query(keepLabels, [sharedCategories]);
}
