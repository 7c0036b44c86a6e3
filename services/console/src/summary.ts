import type { Action, Kind, RiskLevel } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';

export interface Summary {
  readonly kind: Kind;
  readonly action: Action;
  /** The level used by the decision; null without one. */
  readonly level: RiskLevel | null;
  readonly count: number;
}

/** Counts screenings by kind and latest revision. */
export async function summarise(db: Queryable): Promise<Summary[]> {
  const { rows } = await db.query<Omit<Summary, 'count'> & { count: bigint }>(
    `SELECT kind, action, decisions -> revision::text ->> 'risk_level' AS level, count(*) AS count
     FROM console.screenings WHERE action IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
