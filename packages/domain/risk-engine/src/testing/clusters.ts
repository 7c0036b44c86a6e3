import { DisjointSets } from '../clusters/disjoint-sets.ts';
import { sharedLabels } from '../clusters/shared-labels.ts';
import type { Label } from '../store.ts';

/** Addresses that signed one transaction, which is no CoinJoin. */
export interface CoSpendRow {
  readonly chain: string;
  readonly addresses: readonly string[];
}

/** All addresses of each address's cluster; none for an address that signed with nobody. */
export type Clusters = (chain: string, address: string) => readonly string[];

export function clustersOf(rows: readonly CoSpendRow[]): Clusters {
  const sets = new DisjointSets<string>();
  const keyOf = (chain: string, address: string): string => `${chain}\n${address}`;
  const members = new Map<string, string>();
  for (const { chain, addresses } of rows) {
    for (const address of addresses) {
      members.set(keyOf(chain, address), address);
      sets.join(keyOf(chain, addresses[0] ?? address), keyOf(chain, address));
    }
  }
  const clusters = Map.groupBy(members, ([key]) => sets.find(key));
  return (chain, address) => (clusters.get(sets.find(keyOf(chain, address))) ?? []).map(([, member]) => member);
}

export function labelsThrough(cluster: readonly string[], address: string, labelsOf: (member: string) => readonly Label[]): Label[] {
  const labelled = cluster.flatMap((member) => labelsOf(member).map((label) => ({ address: member, label })));
  return sharedLabels(labelled, cluster.length).filter(({ via }) => via?.address !== address);
}
