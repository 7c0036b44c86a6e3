import type { Pool } from '@weir/postgres';
import type { Compared, Comparison } from './shadow.ts';

/** The level, or the outcome where there is none. */
export function standingOf({ outcome, risk_level }: Compared): string {
  return risk_level ?? outcome;
}

export interface Agreement {
  readonly compared: number;
  /** Asked, and not answered by the second provider. */
  readonly unanswered: number;
  /** Same level, or the same outcome without one. */
  readonly same_level: number;
  readonly levels: readonly { readonly first: string; readonly second: string; readonly count: number }[];
  /** Of each risk type, how many results name it. */
  readonly categories: readonly {
    readonly category: string;
    readonly both: number;
    readonly first_only: number;
    readonly second_only: number;
  }[];
}

export interface Disagreement extends Comparison {
  readonly screening_id: string;
  readonly asked_at: Date;
}

/** How far the two providers agree since a time, by level and by category. All of one snapshot, so that the parts add up. */
export async function agreementSince(pool: Pool, since: Date): Promise<Agreement> {
  const standing = (of: string): string => `coalesce(${of} ->> 'risk_level', ${of} ->> 'outcome')`;
  const { rows } = await pool.query<Omit<Agreement, 'same_level'>>(
    `WITH asked AS MATERIALIZED (SELECT first, second FROM scoring.comparisons WHERE asked_at >= $1),
       levels AS (
         SELECT ${standing('first')} AS first, ${standing('second')} AS second, count(*)::int AS count
         FROM asked WHERE second IS NOT NULL GROUP BY 1, 2),
       categories AS (
         SELECT n.category, (count(*) FILTER (WHERE a.f AND a.s))::int AS both, (count(*) FILTER (WHERE a.f AND NOT a.s))::int AS first_only,
           (count(*) FILTER (WHERE a.s AND NOT a.f))::int AS second_only
         FROM asked c
         CROSS JOIN LATERAL (SELECT DISTINCT jsonb_array_elements_text((c.first -> 'categories') || (c.second -> 'categories')) AS category) n
         CROSS JOIN LATERAL (SELECT c.first -> 'categories' ? n.category AS f, c.second -> 'categories' ? n.category AS s) a
         WHERE c.second IS NOT NULL GROUP BY 1)
     SELECT count(second)::int AS compared, (count(*) - count(second))::int AS unanswered,
       coalesce((SELECT jsonb_agg(l ORDER BY l.count DESC, l.first, l.second) FROM levels l), '[]') AS levels,
       coalesce((SELECT jsonb_agg(c ORDER BY c.category) FROM categories c), '[]') AS categories
     FROM asked`,
    [since],
  );
  const { compared = 0, unanswered = 0, levels = [], categories = [] } = rows[0] ?? {};
  const same_level = levels.reduce((sum, { first, second, count }) => sum + (first === second ? count : 0), 0);
  return { compared, unanswered, same_level, levels, categories };
}

/** Results in which level or categories differ, newest first. */
export async function disagreementsSince(pool: Pool, since: Date, limit: number): Promise<Disagreement[]> {
  const { rows } = await pool.query<{ screening_id: string; asked_at: Date; first: Compared; second: Compared }>(
    `SELECT screening_id, asked_at, first, second FROM scoring.comparisons WHERE asked_at >= $1 AND second IS NOT NULL
       AND (coalesce(first ->> 'risk_level', first ->> 'outcome') <> coalesce(second ->> 'risk_level', second ->> 'outcome')
         OR first -> 'categories' <> second -> 'categories')
     ORDER BY asked_at DESC, screening_id LIMIT $2`,
    [since, limit],
  );
  return rows;
}
