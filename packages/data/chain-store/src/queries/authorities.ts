import type { Queryable } from '@weir/postgres';

/** Those of the authorities whose own list is stored. */
export async function listedAuthorities(db: Queryable, authorities: readonly string[]): Promise<ReadonlySet<string>> {
  if (authorities.length === 0) return new Set();
  const { rows } = await db.query<{ authority: string }>(
    `SELECT DISTINCT authority FROM chain.labels WHERE source_kind = 'authority' AND authority = ANY ($1)`,
    [authorities],
  );
  return new Set(rows.map(({ authority }) => authority));
}
