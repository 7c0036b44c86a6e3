import type { Queryable } from '@weir/postgres';

export interface UnknownSpending {
  /** Most that may have been spent in any second. */
  readonly perSecond: number;
  readonly perDay: number;
  /** Spent today, as the provider counts it. Undefined: as much as could be spent since the last grant that is known. */
  readonly spentToday?: number | undefined;
  /** Unix milliseconds; default: the database's clock. */
  readonly now?: () => number;
}

/** Creates of today that a budget counts as spent, before and after. */
export interface CountedSpending {
  readonly before: number;
  readonly after: number;
}

/** Longer than a window of the second limit, and the lateness of a grant. */
const pauseMs = 3_000;

/**
 * Counts what a restored database may have forgotten as spent, so that neither the second nor the day is exceeded. Undefined if nothing was
 * ever spent. Without `mend` it only computes.
 */
export async function countUnknown(
  db: Queryable,
  name: string,
  { perSecond, perDay, spentToday, now }: UnknownSpending,
  mend: boolean,
): Promise<CountedSpending | undefined> {
  const { rows } = await db.query<{ now_ms: number; today: number; used: number; last_ms: number }>(
    `SELECT n.now_ms, floor(n.now_ms / 86400000)::integer AS today,
       CASE WHEN u.day = floor(n.now_ms / 86400000)::integer THEN u.used_withdrawal + u.used_deposit + u.used_rescreen ELSE 0 END AS used,
       greatest(least(u.tat, n.now_ms), floor(n.now_ms / 86400000) * 86400000)::float8 AS last_ms
     FROM budget.upstreams u, (SELECT coalesce($2, budget.clock_ms()) AS now_ms) n WHERE u.name = $1`,
    [name, now?.() ?? null],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const possible = row.used + Math.ceil(((row.now_ms - row.last_ms) / 1_000 + 1) * perSecond);
  const after = Math.max(row.used, Math.min(perDay, spentToday ?? possible));
  if (mend) {
    await db.query(
      `UPDATE budget.upstreams SET
         used_withdrawal = CASE WHEN day = $2 THEN used_withdrawal ELSE 0 END,
         used_deposit = CASE WHEN day = $2 THEN used_deposit ELSE 0 END + $3,
         used_rescreen = CASE WHEN day = $2 THEN used_rescreen ELSE 0 END,
         day = $2, paused_second_until = greatest(paused_second_until, $4)
       WHERE name = $1`,
      [name, row.today, after - row.used, row.now_ms + pauseMs],
    );
  }
  return { before: row.used, after };
}
