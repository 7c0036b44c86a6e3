import type { Action, Kind, RiskLevel } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';

export interface Summary {
  readonly kind: Kind;
  readonly action: Action;
  /** The level that was decided on; null where there was none. */
  readonly level: RiskLevel | null;
  readonly count: number;
}

/** How many screenings stand where, by their latest revision. */
export async function summarise(db: Queryable): Promise<Summary[]> {
  const { rows } = await db.query<Omit<Summary, 'count'> & { count: bigint }>(
    `SELECT kind, action, decisions -> revision::text ->> 'risk_level' AS level, count(*) AS count
     FROM console.screenings WHERE action IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
