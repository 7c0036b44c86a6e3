import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Label } from '@weir/risk-engine';
import type { DatedLabel } from '@weir/risk-report';

/** The most labelled addresses have a dozen. */
const maxLabels = 100;

/** All past and present labels of an address: those valid at `atMs` first, by confidence, then by their end. */
export async function labelHistory(db: Queryable, chain: Chain, address: string, atMs: number): Promise<DatedLabel[]> {
  const { rows } = await db.query<Label & { valid_from: Date | null; valid_to: Date | null }>(
    `SELECT name, category, source, source_kind, confidence, valid_from, valid_to FROM chain.labels WHERE chain = $1 AND address = $2
     ORDER BY coalesce(valid_from <= $3, true) AND coalesce(valid_to > $3, true) DESC, valid_to DESC NULLS FIRST, confidence DESC,
       name COLLATE "C", source COLLATE "C", category COLLATE "C", valid_from NULLS FIRST
     LIMIT $4`,
    [chain, address, new Date(atMs), maxLabels],
  );
  return rows.map(({ valid_from, valid_to, ...label }) => ({
    ...label,
    valid_from: valid_from?.getTime() ?? null,
    valid_to: valid_to?.getTime() ?? null,
  }));
}
