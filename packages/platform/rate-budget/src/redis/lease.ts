import { databaseError, type Pool } from '@weir/postgres';
import { type BudgetLimits, type Lane, mostLateMs } from '../budget.ts';
import { paceOf } from '../pace.ts';

/** How long Redis grants without PostgreSQL, and another server waits for one that vanished. */
export const leaseMs = 3_000;
const leastBlock = 50;

/** Creates reserved ahead per lane: a hundredth of the day, at most 50 or a second's worth if that is more. */
export function blockOf({ perSecond, perDay }: BudgetLimits): number {
  return Math.max(1, Math.floor(Math.min(perDay / 100, Math.max(leastBlock, perSecond))));
}

export interface Seen {
  readonly now: number;
  readonly server: string;
  /** The lease under which the state was built; empty without a state. */
  readonly epoch: string;
}

/** A count that PostgreSQL must reserve before use. */
export interface Need extends Seen {
  readonly day: number;
  readonly lane: Lane;
  readonly upto: number;
}

export interface Reserved {
  readonly day: number;
  readonly used: Readonly<Record<Lane, number>>;
}

/** PostgreSQL's row, for the server that receives the lease. */
export interface Adoption extends Reserved {
  readonly epoch: string;
  /** Nothing may be granted for so long. */
  readonly waitSecondMs: number;
  readonly waitDayMs: number;
}

/** PostgreSQL's lease outlasts the one in Redis by this bound on clock drift. */
const driftMs = 250;

/** The durable side, the row of `budget.upstreams`. Rejects with `PostgresError`. */
export class Lease {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #settleMs: number;
  readonly #toldNow: () => number | null;

  constructor(pool: Pool, name: string, limits: BudgetLimits, toldNow: () => number | undefined) {
    this.#pool = pool;
    this.#name = name;
    // A whole window after the last possible grant, sent as late as allowed.
    this.#settleMs = paceOf(limits).spanMs + mostLateMs;
    this.#toldNow = () => toldNow() ?? null;
  }

  /** Reserves the needed counts and extends the lease. Undefined if another server has the lease. */
  async reserve({ epoch, day, lane, upto }: Need): Promise<Reserved | undefined> {
    const sql = 'SELECT * FROM budget.reserve($1, $2, $3, $4, $5, $6, $7)';
    const [row] = await this.#ask<CountsRow>(sql, [this.#name, epoch, day, lane, upto, leaseMs + driftMs, this.#toldNow()]);
    return row === undefined || row.on_day === null ? undefined : reservedOf(row);
  }

  /**
   * Gives the lease to this server, or tells how long to wait. Another server may have it, or another client may be about to rebuild this
   * one.
   */
  async acquire({ server }: Seen): Promise<Adoption | { readonly refusedForMs: number }> {
    const sql = 'SELECT * FROM budget.acquire($1, $2, $3, $4, $5)';
    const [row] = await this.#ask<AcquireRow>(sql, [this.#name, server, leaseMs + driftMs, this.#settleMs, this.#toldNow()]);
    if (row === undefined) throw new Error('no row where one must be');
    if (row.new_epoch === null) return { refusedForMs: row.wait_second_ms };
    return { epoch: row.new_epoch, waitSecondMs: row.wait_second_ms, waitDayMs: row.wait_day_ms, ...reservedOf(row) };
  }

  async #ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return (await this.#pool.query<Row & Record<string, unknown>>(sql, values)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

interface CountsRow {
  on_day: number | null;
  used_withdrawal: number;
  used_deposit: number;
  used_rescreen: number;
}

interface AcquireRow extends CountsRow {
  new_epoch: string | null;
  wait_second_ms: number;
  wait_day_ms: number;
}

function reservedOf(row: CountsRow): Reserved & { used: Record<Lane, number> } {
  return { day: row.on_day ?? 0, used: { withdrawal: row.used_withdrawal, deposit: row.used_deposit, rescreen: row.used_rescreen } };
}
