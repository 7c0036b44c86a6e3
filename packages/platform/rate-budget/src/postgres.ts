import { databaseError, type Pool, prepared } from '@weir/postgres';
import type { BudgetLimits, Grant, RateBudget } from './budget.ts';
import {
  askOf,
  type BudgetState,
  boundedPauseMs,
  emptyState,
  refundFromMs,
  remaining,
  ruleArguments,
  settledTimestamp,
  wholeFrom1,
} from './decide.ts';
import { paceOf } from './pace.ts';

export interface PostgresBudgetOptions {
  /** Its database must have `rateBudgetMigrations`. */
  readonly pool: Pool;
  /** One per upstream and key; callers with the same name share a budget. */
  readonly name: string;
  readonly limits: BudgetLimits;
  /** Unix milliseconds, instead of the database's clock. For tests only: replicas agree because they share that clock. */
  readonly now?: () => number;
}

/**
 * A durable budget for all replicas. One statement per call, serialised by the row lock and timed by the database's clock. Rejects with
 * `PostgresError` (`DATABASE_UNAVAILABLE`, `DISK_FULL`); a lost grant stays counted. Grants nothing while a Redis holds the budget. Every
 * grant is a commit, so take blocks above some hundreds a second.
 */
export function postgresBudget(options: PostgresBudgetOptions): RateBudget {
  const { pool, name, limits } = options;
  const pace = paceOf(limits);
  const toldNow = (): number | null => options.now?.() ?? null;
  return {
    take: async (lane, most, lateMs) => {
      const asked = askOf(lane, most, lateMs);
      const rows = await ask<TakeRow>(pool, takeSql, [name, JSON.stringify({ ...ruleArguments(asked, pace), told_now: toldNow() })]);
      return grantOf(rows[0]);
    },
    refund: async (lane, count = 1) => {
      await ask(pool, 'SELECT budget.refund($1, $2, $3, $4, $5)', [name, lane, wholeFrom1(count), refundFromMs, toldNow()]);
    },
    settle: async (reservation, arrivedMs, count = 1) => {
      await ask(pool, settleSql, [name, reservation.timestamp, settledTimestamp(reservation, arrivedMs), wholeFrom1(count)]);
    },
    pause: async (window, ms) => {
      await ask(pool, 'SELECT budget.pause($1, $2, $3, $4)', [name, window, boundedPauseMs(ms), toldNow()]);
    },
    remaining: async () => {
      const sql =
        'SELECT n.now_ms, u.* FROM (SELECT coalesce($2, budget.clock_ms()) AS now_ms) n LEFT JOIN budget.upstreams u ON u.name = $1';
      const [row] = await ask<StateRow>(pool, sql, [name, toldNow()]);
      if (row === undefined) throw new Error('no row where one must be');
      return remaining(stateOf(row), row.now_ms, limits);
    },
  };
}

const takeSql = prepared('SELECT granted, wait_ms, limited_by, granted_at, logged_at FROM budget.take($1, $2)');

const settleSql = prepared('SELECT budget.settle($1, $2, $3, $4)');

interface TakeRow {
  granted: number | null;
  wait_ms: number | null;
  limited_by: 'second' | 'day' | null;
  granted_at: number | null;
  logged_at: number | null;
}

function grantOf(row: TakeRow | undefined): Grant {
  if (row === undefined) throw new Error('no row where one must be');
  if (row.granted !== null) {
    const { granted_at: at, logged_at: timestamp } = row;
    return { granted: true, count: row.granted, reservation: at === null || timestamp === null ? null : { at, timestamp } };
  }
  if (row.wait_ms === null || row.limited_by === null) throw new Error('neither granted nor refused');
  return { granted: false, waitMs: row.wait_ms, window: row.limited_by };
}

interface StateRow {
  now_ms: number;
  /** Null before the first take from this budget. */
  name: string | null;
  tat: number;
  log: number[];
  day: number;
  used_withdrawal: number;
  used_deposit: number;
  used_rescreen: number;
  paused_second_until: number;
  paused_day_until: number;
}

function stateOf(row: StateRow): BudgetState {
  if (row.name === null) return emptyState;
  return {
    tat: row.tat,
    log: row.log,
    day: row.day,
    used: { withdrawal: row.used_withdrawal, deposit: row.used_deposit, rescreen: row.used_rescreen },
    pausedSecondUntil: row.paused_second_until,
    pausedDayUntil: row.paused_day_until,
  };
}

async function ask<Row extends object>(pool: Pool, sql: string, values: readonly unknown[]): Promise<Row[]> {
  try {
    return (await pool.query<Row & Record<string, unknown>>(sql, values)).rows;
  } catch (error) {
    throw databaseError(error);
  }
}
