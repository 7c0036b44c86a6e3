import type { Pool } from '@weir/postgres';
import type { ScoringMetrics } from '../metrics.ts';

export async function measureRescreens(pool: Pool, metrics: ScoringMetrics, feed: string): Promise<void> {
  const { rows } = await pool.query<{ kind: string; count: number; oldest: number }>(
    `SELECT k.kind, count(s.taken_at)::int AS count, coalesce(extract(epoch FROM now() - min(s.taken_at)), 0)::float8 AS oldest
     FROM (VALUES ('deposit'), ('withdrawal')) AS k(kind)
     LEFT JOIN scoring.screenings s ON s.state = 'rescreen' AND s.request ->> 'kind' = k.kind GROUP BY k.kind`,
  );
  for (const { kind, count, oldest } of rows) {
    metrics.screeningsOpen.set({ kind, state: 'rescreen' }, count);
    metrics.screeningOldest.set({ kind, state: 'rescreen' }, oldest);
  }
  const { rows: behind } = await pool.query<{ subjects: number; seconds: number }>(
    `SELECT (SELECT count(*) FROM scoring.rescreens)::int AS subjects,
       coalesce((SELECT extract(epoch FROM now() - caught_up_at) FROM scoring.feeds WHERE feed = $1 AND NOT is_absent), 0)::float8 AS seconds`,
    [feed],
  );
  metrics.rescreenSubjects.set(behind[0]?.subjects ?? 0);
  metrics.rescreenFeed.set(behind[0]?.seconds ?? 0);
}
