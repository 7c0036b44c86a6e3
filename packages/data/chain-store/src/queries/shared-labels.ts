import type { Queryable } from '@weir/postgres';
import { type Label, type MemberLabel, sharedCategories, sharedLabels } from '@weir/risk-engine';

/** Members read for each category. More say the same. */
const mostMembers = 10;

interface Member {
  readonly address: string;
  readonly root: bigint;
  readonly addresses: number;
  readonly txid: string;
  readonly [column: string]: unknown;
}

/**
 * Labels of addresses that signed transactions with the given ones. Two statements, and one where no cluster has labels. Bounded: at most
 * ten labelled members a category are read of a cluster.
 */
export async function labelsOfClusters(
  db: Queryable,
  chain: string,
  addresses: readonly string[],
  atMs: number,
): Promise<Map<string, Label[]>> {
  const { rows: members } = await db.query<Member>(findMembers, [chain, addresses]);
  if (members.length === 0) return new Map();
  const sizes = new Map(members.map(({ root, addresses: size }) => [root, size]));
  const { rows } = await db.query<Label & { root: bigint; address: string }>(readLabels, [
    [...sizes.keys()],
    sharedCategories,
    new Date(atMs),
  ]);
  const labelled = Map.groupBy(
    rows.map(({ root, address, ...label }) => ({ root, address, label })),
    ({ root }) => root,
  );
  return new Map(
    members.flatMap(({ address, root, addresses: size, txid }) => {
      const labels = sharedWith(address, labelled.get(root) ?? [], size);
      return labels.length === 0 ? [] : [[address, labels.map((label) => withEvidence(label, txid))]];
    }),
  );
}

/** Its own labels are its own. */
function sharedWith(address: string, members: readonly MemberLabel[], addresses: number): readonly Label[] {
  return sharedLabels(members, addresses).filter(({ via }) => via?.address !== address);
}

function withEvidence(label: Label, txid: string): Label {
  return label.via === undefined ? label : { ...label, via: { ...label.via, txid } };
}

const findMembers = `
  SELECT m.address, c.root, r.addresses::float8 AS addresses, m.txid FROM chain.cluster_members m
  JOIN chain.clusters c ON c.id = m.cluster JOIN chain.clusters r ON r.id = c.root
  WHERE m.chain = $1 AND m.address = ANY ($2) AND EXISTS (SELECT FROM chain.cluster_labels k WHERE k.cluster = c.root)`;

const readLabels = `
  SELECT r.root, l.* FROM unnest($1::bigint[]) AS r (root) CROSS JOIN unnest($2::text[]) AS s (category)
  CROSS JOIN LATERAL (
    SELECT l.address, l.name, l.category, l.confidence, l.source, l.source_kind FROM chain.cluster_labels k
    JOIN chain.labels l ON l.chain = k.chain AND l.address = k.address AND lower(l.category) = k.category
    WHERE k.cluster = r.root AND k.category = s.category AND coalesce(l.valid_from <= $3, true) AND coalesce(l.valid_to > $3, true)
    ORDER BY k.address, l.source, l.name, l.valid_from LIMIT ${mostMembers}) l`;
