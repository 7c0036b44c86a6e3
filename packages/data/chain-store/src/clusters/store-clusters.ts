import type { Queryable } from '@weir/postgres';
import { DisjointSets } from '@weir/risk-engine';
import type { BatchTransaction } from '../import/chain-batch.ts';
import { flagEdges, labelTables } from '../import/label-statements.ts';
import { noteGainedLabels, storeMemberLabels } from './member-labels.ts';

/**
 * Stores the groups of `pg_temp.given_signers`. The import's lock makes one batch at a time change clusters.
 *
 * An address keeps the cluster in which it came; clusters point to a root. A merge points the clusters of the smaller root to the larger
 * one, so a cluster is moved at most log2 (addresses) times, and no row of an address is rewritten.
 */
export async function storeClusters({ tx, observer }: BatchTransaction): Promise<void> {
  await tx.query('ANALYZE pg_temp.given_signers');
  await tx.query(mergeTables);
  await tx.query(labelTables);
  const merges = mergesOf(await readTouched(tx));
  await writeMerges(tx, merges);
  await tx.query('ANALYZE pg_temp.merged_roots');
  await noteGainedLabels(tx);
  await tx.query(pointToRoots);
  await tx.query(insertMembers);
  await tx.query(addSizes);
  await storeMemberLabels(tx);
  const { rows } = await tx.query<{ some: boolean }>('SELECT EXISTS (SELECT FROM pg_temp.stored_labels) AS some');
  if (rows[0]?.some !== true) return;
  await tx.query('ANALYZE pg_temp.stored_labels');
  await tx.query(flagEdges);
  await observer.labelsStored(tx);
}

/** A group of the batch, and a stored cluster's root among its addresses. */
interface Touched {
  readonly group_number: number;
  readonly root: bigint | null;
  readonly addresses: bigint | null;
  readonly [column: string]: unknown;
}

interface Merges {
  /** The target of each group; null: a new cluster, by the number of a group that stands for it. */
  readonly groups: readonly { readonly group: number; readonly root: bigint | null; readonly stands: number }[];
  readonly roots: readonly { readonly root: bigint; readonly target: bigint }[];
}

async function readTouched(tx: Queryable): Promise<Touched[]> {
  const { rows } = await tx.query<Touched>(`
    SELECT DISTINCT g.group_number, r.id AS root, r.addresses FROM pg_temp.given_signers g
    LEFT JOIN chain.cluster_members m ON m.address = g.address AND m.chain = g.chain
    LEFT JOIN chain.clusters c ON c.id = m.cluster LEFT JOIN chain.clusters r ON r.id = c.root`);
  return rows;
}

/** Groups that touch one cluster belong together, and so do all the clusters that they touch. The largest becomes the root of all. */
function mergesOf(touched: readonly Touched[]): Merges {
  const sets = new DisjointSets<string>();
  const groupKey = (group: number): string => `group ${group}`;
  for (const { group_number: group, root } of touched) if (root !== null) sets.join(groupKey(group), `root ${root}`);
  const targets = new Map<string, { readonly root: bigint; readonly addresses: bigint }>();
  for (const { group_number: group, root, addresses } of touched) {
    const set = sets.find(groupKey(group));
    const before = targets.get(set);
    if (root === null || addresses === null) continue;
    const isLarger = before === undefined || addresses > before.addresses || (addresses === before.addresses && root < before.root);
    if (isLarger) targets.set(set, { root, addresses });
  }
  const targetOf = (group: number): bigint | null => targets.get(sets.find(groupKey(group)))?.root ?? null;
  const groups = new Map(touched.map(({ group_number: group }) => [group, { group, root: targetOf(group), stands: group }]));
  const roots = new Map(touched.flatMap(({ root, group_number: group }) => (root === null ? [] : [[root, targetOf(group) ?? root]])));
  return { groups: [...groups.values()], roots: [...roots].map(([root, target]) => ({ root, target })) };
}

async function writeMerges(tx: Queryable, { groups, roots }: Merges): Promise<void> {
  await tx.query(
    `INSERT INTO pg_temp.group_clusters (group_number, cluster)
     SELECT g.n, coalesce(g.root, nextval('chain.cluster_ids')) FROM unnest($1::integer[], $2::bigint[]) g (n, root)`,
    [groups.map(({ group }) => group), groups.map(({ root }) => root)],
  );
  await tx.query('INSERT INTO pg_temp.merged_roots (root, target) SELECT * FROM unnest($1::bigint[], $2::bigint[])', [
    roots.map(({ root }) => root),
    roots.map(({ target }) => target),
  ]);
}

/** `merged_roots` has every touched root, also those that stay their own. */
const mergeTables = `
  CREATE TEMP TABLE IF NOT EXISTS group_clusters (group_number integer PRIMARY KEY, cluster bigint) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS merged_roots (root bigint PRIMARY KEY, target bigint) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS new_members (chain text COLLATE "C", address text COLLATE "C", cluster bigint) ON COMMIT DELETE ROWS`;

const pointToRoots = `
  WITH sizes AS (
    SELECT r.target, sum(c.addresses) AS addresses FROM pg_temp.merged_roots r JOIN chain.clusters c ON c.id = r.root
    WHERE r.root <> r.target GROUP BY r.target),
  grown AS (UPDATE chain.clusters c SET addresses = c.addresses + s.addresses FROM sizes s WHERE c.id = s.target)
  UPDATE chain.clusters c SET root = r.target FROM pg_temp.merged_roots r WHERE c.root = r.root AND r.root <> r.target`;

const insertMembers = `
  WITH given AS (
    SELECT g.chain, g.address, t.cluster, g.txid FROM pg_temp.given_signers g JOIN pg_temp.group_clusters t USING (group_number)),
  stored AS (
    INSERT INTO chain.cluster_members AS m (chain, address, cluster, txid) SELECT * FROM given ORDER BY address, chain
    ON CONFLICT (address, chain) DO UPDATE SET txid = excluded.txid WHERE excluded.txid < m.txid
    RETURNING chain, address, cluster, xmax = 0 AS is_new)
  INSERT INTO pg_temp.new_members SELECT chain, address, cluster FROM stored WHERE is_new`;

const addSizes = `
  INSERT INTO chain.clusters AS c (id, root, addresses)
  SELECT cluster, cluster, count(*) FROM pg_temp.new_members GROUP BY cluster ORDER BY cluster
  ON CONFLICT (id) DO UPDATE SET addresses = c.addresses + excluded.addresses`;
