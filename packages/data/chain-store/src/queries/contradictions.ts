import { chains } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { accusingCategories, type Contradiction, type RiskStore, serviceCategories, weighLabels } from '@weir/risk-engine';

export interface ContradictedAddress {
  readonly chain: string;
  readonly address: string;
  readonly contradiction: Contradiction;
}

/** Public lists have some hundreds. Beyond this the list itself is wrong. */
const mostAddresses = 10_000;
const addressesPerCall = 2_000;

/** Addresses whose labels in force contradict each other. Reads all labels, so not for each scrape. */
export async function contradictedAddresses(db: Queryable, store: RiskStore, atMs: number): Promise<ContradictedAddress[]> {
  const { rows } = await db.query<{ chain: string; address: string }>(
    `SELECT chain, address FROM chain.labels
     WHERE lower(category) = ANY ($1) AND coalesce(valid_from <= $2, true) AND coalesce(valid_to > $2, true)
     GROUP BY chain, address HAVING bool_or(lower(category) = ANY ($3)) AND bool_or(lower(category) = ANY ($4))
     ORDER BY chain, address LIMIT ${mostAddresses}`,
    [[...accusingCategories, ...serviceCategories], new Date(atMs), accusingCategories, serviceCategories],
  );
  const found: ContradictedAddress[] = [];
  for (const chain of chains) {
    const addresses = rows.filter((row) => row.chain === chain).map(({ address }) => address);
    for (let at = 0; at < addresses.length; at += addressesPerCall) {
      for (const [address, labels] of await store.labelsOf(chain, addresses.slice(at, at + addressesPerCall), atMs)) {
        const { contradiction } = weighLabels(labels);
        if (contradiction !== undefined) found.push({ chain, address, contradiction });
      }
    }
  }
  return found;
}
