import type { Queryable } from '@weir/postgres';
import type { ConsoleMetrics } from '../metrics.ts';

const dayMs = 24 * 3_600_000;
const holdDays = 30;

interface Row extends Record<string, unknown> {
  readonly part: 'value' | 'hold';
  /** Of `value`: the action. Of `hold`: the rule. */
  readonly name: string | null;
  readonly ended: string | null;
  readonly sum: string;
}

/** Measures what the stored sums say: the value of a day's transfers by action, and how holds of each rule ended. */
export async function measureHistory(db: Queryable, metrics: ConsoleMetrics, now: number): Promise<void> {
  const { rows } = await db.query<Row>(
    `SELECT 'value' AS part, key[1] AS name, NULL AS ended, sum(total) AS sum FROM console.rollups
     WHERE series = 'transfers' AND owner = '' AND hour > $1 GROUP BY 2
     UNION ALL SELECT 'hold', key[1], key[2], sum(count) FROM console.rollups
     WHERE series = 'holds_by_day' AND owner = '' AND hour > $2 GROUP BY 2, 3 HAVING sum(count) > 0`,
    [new Date(now - dayMs), new Date(now - holdDays * dayMs)],
  );
  for (const action of ['allow', 'review', 'block']) metrics.transfersUsd.set({ action }, 0);
  metrics.ruleHolds.reset();
  for (const { part, name, ended, sum } of rows) {
    if (part === 'hold') metrics.ruleHolds.set({ rule: name ?? 'none', ended: ended ?? 'open' }, Number(sum));
    else if (name !== null) metrics.transfersUsd.set({ action: name }, Number(sum));
  }
}
