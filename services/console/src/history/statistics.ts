import type { Queryable } from '@weir/postgres';
import { expressions } from '../migrations.ts';
import { groupScreenings } from './groups.ts';
import type { Action, Level, StatisticsView } from './view.ts';

export interface Range {
  readonly since: Date;
  readonly until: Date;
}

interface Keys {
  readonly day: string;
  readonly action: Action;
  readonly level: Level;
  readonly rule: string | null;
  readonly coin: string;
}

const inRange = 's.requested_at >= $1 AND s.requested_at < $2';
const columns = {
  day: "to_char(s.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
  action: 's.action',
  level: 's.level',
  rule: expressions.rule,
  coin: expressions.coin,
};

/** Of the screenings requested in this time. Reads each of them. */
export async function readStatistics(db: Queryable, { since, until }: Range): Promise<StatisticsView> {
  const values = [since, until];
  const groups = await groupScreenings<Keys>(db, columns, { where: inRange, values });
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    days: groups.day.toSorted((a, b) => a.day.localeCompare(b.day)),
    actions: groups.action,
    levels: groups.level,
    rules: groups.rule,
    coins: groups.coin,
    ...(await readHolds(db, values)),
  };
}

interface HoldRow extends Record<string, unknown> {
  all: boolean;
  rule: string | null;
  held: number;
  open: number;
  ended: number;
  median: number | null;
  p95: number | null;
  longest: number | null;
  decided: number;
  allowed: number;
}

/** Timestamps are RFC 3339 texts in UTC. A hold by a rule counts for the last rule that held it. */
async function readHolds(db: Queryable, values: unknown[]): Promise<Pick<StatisticsView, 'holds' | 'held_by'>> {
  const { rows } = await db.query<HoldRow>(
    `WITH held AS (
       SELECT s.action, h.rule, s.decisions -> s.revision::text ->> 'resolution_id' IS NOT NULL AS by_people,
         extract(epoch FROM e.ended_at::timestamptz - h.held_at::timestamptz)::float8 AS seconds
       FROM console.screenings s
       CROSS JOIN LATERAL (
         SELECT min(key::int) AS revision, (array_agg(value ->> 'decided_at' ORDER BY key::int))[1] AS held_at,
           (array_agg(value ->> 'rule' ORDER BY key::int DESC) FILTER (WHERE value ->> 'resolution_id' IS NULL))[1] AS rule
         FROM jsonb_each(s.decisions) WHERE value ->> 'action' = 'review') AS h
       LEFT JOIN LATERAL (
         SELECT value ->> 'decided_at' AS ended_at FROM jsonb_each(s.decisions)
         WHERE value ->> 'action' <> 'review' AND key::int > h.revision ORDER BY key::int LIMIT 1) AS e ON true
       WHERE ${inRange} AND jsonb_path_exists(s.decisions, '$.*.action ? (@ == "review")'))
     SELECT GROUPING(rule) = 1 AS all, rule, count(*)::int AS held, (count(*) FILTER (WHERE action = 'review'))::int AS open,
       count(seconds)::int AS ended, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95, max(seconds) AS longest,
       (count(*) FILTER (WHERE by_people AND action <> 'review'))::int AS decided,
       (count(*) FILTER (WHERE by_people AND action = 'allow'))::int AS allowed
     FROM held GROUP BY GROUPING SETS ((), (rule)) ORDER BY held DESC`,
    values,
  );
  const total = rows.find(({ all }) => all);
  return {
    holds: {
      ended: total?.ended ?? 0,
      open: total?.open ?? 0,
      median_seconds: total?.median ?? null,
      p95_seconds: total?.p95 ?? null,
      longest_seconds: total?.longest ?? null,
    },
    held_by: rows
      .filter(({ all }) => !all)
      .map(({ rule, held, decided, allowed }) => ({
        rule,
        held,
        decided,
        allowed,
        false_positive_rate: decided === 0 ? null : allowed / decided,
      })),
  };
}
