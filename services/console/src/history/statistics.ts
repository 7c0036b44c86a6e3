import type { Pool, Queryable } from '@weir/postgres';
import { readInOrder } from '../page.ts';
import { named, openRowsOf, rowsOf, totals } from './groups.ts';
import type { StatisticsView, Totals } from './view.ts';

export interface Range {
  readonly since: Date;
  readonly until: Date;
  /** Nothing is requested later than `until`. */
  readonly isUntilNow: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const series = "'transfers', 'holds', 'hold_times'";
const seriesByDay = "'transfers_by_day', 'holds_by_day', 'hold_times_by_day'";

interface Row extends Totals, Record<string, unknown> {
  readonly part: 'day' | 'day_action' | 'action' | 'level' | 'rule' | 'coin' | 'hold' | 'length';
  readonly value: string | null;
  /** Of `hold`: how it ended. Of `day_action`: the action. */
  readonly outcome: string | null;
}

/**
 * Of the screenings requested in this time. Sums of whole days and hours are stored. Reads the screenings of an hour that is not whole, and
 * those without a decision.
 */
export function readStatistics(db: Pool, range: Range): Promise<StatisticsView> {
  return readInOrder(db, (tx) => sumUp(tx, range));
}

async function sumUp(db: Queryable, { since, until, isUntilNow }: Range): Promise<StatisticsView> {
  const up = (at: Date, unit: number): Date => new Date(Math.ceil(at.getTime() / unit) * unit);
  const down = (at: Date, unit: number): Date => new Date(Math.floor(at.getTime() / unit) * unit);
  const later = (a: Date, b: Date): Date => (a > b ? a : b);
  const first = up(since, hourMs);
  const firstDay = up(since, dayMs);
  const last = isUntilNow ? 'infinity' : later(down(until, hourMs), first);
  const lastDay = isUntilNow ? 'infinity' : later(down(until, dayMs), firstDay);
  const edges = [
    rowsOf('s.requested_at >= $3 AND s.requested_at < least($1::timestamptz, $4::timestamptz) AND s.action IS NOT NULL'),
    rowsOf('s.requested_at >= $2 AND s.requested_at < $4::timestamptz AND s.action IS NOT NULL'),
    openRowsOf('s.requested_at >= $3 AND s.requested_at < $4::timestamptz'),
  ];
  const group = (part: Row['part'], value: string, of: string, outcome = 'NULL'): string =>
    `SELECT '${part}' AS part, ${value} AS value, ${outcome} AS outcome, ${totals} FROM sums AS c WHERE c.series = '${of}'
     GROUP BY 2, 3 HAVING sum(c.count) > 0`;
  const day = "to_char(c.day AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
  const { rows } = await db.query<Row>(
    `WITH found AS (
       SELECT replace(series, '_by_day', '') AS series, hour, key, count, total, unknown FROM console.rollups
       WHERE series IN (${seriesByDay}) AND owner = '' AND hour >= $5 AND hour < $6
       UNION ALL SELECT series, hour, key, count, total, unknown FROM console.rollups
       WHERE series IN (${series}) AND owner = '' AND hour >= $1 AND hour < least($2, $5)
       UNION ALL SELECT series, hour, key, count, total, unknown FROM console.rollups
       WHERE series IN (${series}) AND owner = '' AND hour >= $6 AND hour < $2
       UNION ALL ${edges.map((edge) => `SELECT series, hour, key, count, total, unknown FROM (${edge}) AS e WHERE series IN (${series})`).join(' UNION ALL ')}),
     sums AS MATERIALIZED (
       SELECT series, date_trunc('day', hour, 'UTC') AS day, key, sum(count) AS count, sum(total) AS total, sum(unknown) AS unknown
       FROM found GROUP BY 1, 2, 3)
     ${[
       group('day', day, 'transfers'),
       group('day_action', day, 'transfers', 'c.key[1]'),
       group('action', 'c.key[1]', 'transfers'),
       group('level', 'c.key[2]', 'transfers'),
       group('rule', 'c.key[3]', 'transfers'),
       group('coin', 'c.key[4]', 'transfers'),
       group('hold', 'c.key[1]', 'holds', 'c.key[2]'),
       group('length', 'c.key[1]', 'hold_times'),
     ].join(' UNION ALL ')} ORDER BY count DESC, value`,
    [first, last, since, until, firstDay, lastDay],
  );
  const rowsBy = (part: Row['part']): Row[] => rows.filter((row) => row.part === part);
  const holds = rowsBy('hold');
  const byAction = Map.groupBy(rowsBy('day_action'), ({ value }) => value);
  const splitOf = (value: string | null): Omit<StatisticsView['days'][number], 'day' | keyof Totals> => {
    const of = (action: string | null): number => byAction.get(value)?.find(({ outcome }) => outcome === action)?.count ?? 0;
    return { allow: of('allow'), review: of('review'), block: of('block'), undecided: of(null) };
  };
  const days = named(rowsBy('day'), 'day') as (Totals & { readonly day: string })[];
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    days: days.toSorted((a, b) => a.day.localeCompare(b.day)).map((each) => ({ ...each, ...splitOf(each.day) })),
    actions: named(rowsBy('action'), 'action') as StatisticsView['actions'],
    levels: named(rowsBy('level'), 'level') as StatisticsView['levels'],
    rules: named(rowsBy('rule'), 'rule') as StatisticsView['rules'],
    coins: named(rowsBy('coin'), 'coin') as StatisticsView['coins'],
    holds: {
      open: countOf(holds, 'open'),
      ...lengthsOf(rowsBy('length')),
    },
    held_by: [...Map.groupBy(holds, ({ value }) => value)]
      .map(([rule, own]) => {
        const [held, allowed, blocked] = [countOf(own), countOf(own, 'allow'), countOf(own, 'block')];
        const decided = allowed + blocked;
        return { rule, held, decided, allowed, false_positive_rate: decided === 0 ? null : allowed / decided };
      })
      .toSorted((a, b) => b.held - a.held),
  };
}

function countOf(rows: readonly Row[], outcome?: string): number {
  return rows.reduce((sum, row) => sum + (outcome === undefined || row.outcome === outcome ? row.count : 0), 0);
}

/** Holds of one bucket count as their mean. A bucket's lengths differ by a fifth at most, so each figure is right to that. */
function lengthsOf(rows: readonly Row[]): Pick<StatisticsView['holds'], 'ended' | 'median_seconds' | 'p95_seconds' | 'longest_seconds'> {
  const buckets = rows.map(({ count, usd }) => ({ count, mean: Number(usd) / count })).toSorted((a, b) => a.mean - b.mean);
  const ended = buckets.reduce((sum, { count }) => sum + count, 0);
  const at = (rank: number): number => {
    let before = 0;
    return buckets.find(({ count }) => (before += count) > rank)?.mean ?? Number.NaN;
  };
  // As percentile_cont.
  const percentile = (share: number): number | null => {
    const rank = share * (ended - 1);
    const low = at(Math.floor(rank));
    return ended === 0 ? null : low + (at(Math.ceil(rank)) - low) * (rank - Math.floor(rank));
  };
  return { ended, median_seconds: percentile(0.5), p95_seconds: percentile(0.95), longest_seconds: percentile(1) };
}
