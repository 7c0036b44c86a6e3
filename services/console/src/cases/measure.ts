import type { Queryable } from '@weir/postgres';
import type { ConsoleMetrics } from '../metrics.ts';

/** Measures open cases, those that are escalated apart. */
export async function measureCases(db: Queryable, metrics: ConsoleMetrics): Promise<void> {
  const { rows } = await db.query<{ open: number; escalated: number }>(
    `SELECT (count(*) FILTER (WHERE escalated_at IS NULL))::int AS open, (count(*) FILTER (WHERE escalated_at IS NOT NULL))::int AS escalated
     FROM console.cases WHERE outcome IS NULL`,
  );
  for (const { open, escalated } of rows) {
    metrics.casesOpen.set({ escalated: 'false' }, open);
    metrics.casesOpen.set({ escalated: 'true' }, escalated);
  }
}
