import type { Queryable } from '@weir/postgres';
import type { ConsoleMetrics } from '../metrics.ts';
import { state as stateOf, statesOf } from '../states.ts';
import { isAdverse } from './standing.ts';

interface Row extends Record<string, unknown> {
  kind: string;
  state: string;
  count: number;
  since: Date | null;
  overdue: number;
}

/** Held, or with an adverse update: two indexes. */
export const forPeople = `(SELECT * FROM console.screenings s WHERE ${stateOf} IN (${statesOf({ standings: ['review'] }).join(', ')})
  UNION ALL SELECT * FROM console.screenings s WHERE ${isAdverse})`;

/** Measures reviews by state: their number, the age of the oldest, and those past their due time. */
export async function measureReviews(db: Queryable, metrics: ConsoleMetrics, now: number): Promise<void> {
  const { rows } = await db.query<Row>(
    `WITH held AS (
       SELECT s.kind, r.due_at, CASE WHEN p.resolution_id IS NULL THEN 'open' WHEN p.answer IS NULL THEN 'pending_approval' ELSE 'approved' END AS state,
         COALESCE(p.answered_at, p.resolved_at,
           (CASE s.action WHEN 'allow' THEN coalesce(s.result ->> 'reported_at', s.result ->> 'scored_at') ELSE s.decisions -> s.revision::text ->> 'decided_at' END)::timestamptz) AS since
       FROM ${forPeople} s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id
       LEFT JOIN console.resolutions p ON p.screening_id = s.screening_id AND p.revision = s.revision AND p.answer IS DISTINCT FROM 'rejected')
     SELECT k.kind, t.state, count(h.kind)::int AS count, min(h.since) AS since, (count(*) FILTER (WHERE h.due_at < $1))::int AS overdue
     FROM (VALUES ('deposit'), ('withdrawal')) AS k(kind) CROSS JOIN (VALUES ('open'), ('pending_approval'), ('approved')) AS t(state)
     LEFT JOIN held h ON h.kind = k.kind AND h.state = t.state GROUP BY 1, 2`,
    [new Date(now)],
  );
  const overdue = new Map<string, number>();
  for (const { kind, state, count, since, overdue: late } of rows) {
    metrics.reviewsOpen.set({ kind, state }, count);
    metrics.reviewOldest.set({ kind, state }, since === null ? 0 : Math.max(now - since.getTime(), 0) / 1_000);
    overdue.set(kind, (overdue.get(kind) ?? 0) + late);
  }
  for (const [kind, count] of overdue) metrics.reviewsOverdue.set({ kind }, count);
}
