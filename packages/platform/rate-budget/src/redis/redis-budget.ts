import type { Pool } from '@weir/postgres';
import type { Redis } from 'ioredis';
import type { BudgetLimits, Grant, RateBudget } from '../budget.ts';
import { type Ask, askOf, boundedPauseMs, remaining, settledTimestamp, wholeFrom1 } from '../decide.ts';
import { postgresBudget } from '../postgres.ts';
import { Lease } from './lease.ts';
import { Reservations } from './reservations.ts';
import { BudgetScript } from './script.ts';

export interface RedisBudgetOptions {
  /** From `connectRedis`; its opener closes it. */
  readonly redis: Redis;
  /** Its database must have `rateBudgetMigrations`. */
  readonly pool: Pool;
  /** One per upstream and key; callers with the same name share a budget. */
  readonly name: string;
  readonly limits: BudgetLimits;
  /** Unix milliseconds, instead of the servers' clocks. For tests only: replicas agree because they share the clock of Redis. */
  readonly now?: () => number;
}

const mostTurns = 6;
const soonMs = 50;

/** The budget in Redis. `settled` resolves when no reservation is in progress, so that the pool can close. */
export interface RedisBudget extends RateBudget {
  settled(): Promise<void>;
}

/**
 * For rates at which a commit per grant is too slow. One atomic script per call implements `decide`, by the clock of Redis.
 *
 * PostgreSQL's row keeps a count per lane, never below the grants, and names the one server that may grant and until when. Both run ahead
 * of use, by a block and by 3 s. After a loss of its state Redis grants nothing until the state is rebuilt from the row and a window plus
 * the largest lateness has passed. `postgresBudget` obeys the same row, so replicas may change over one by one. See docs/decisions/0010.
 *
 * Rejects with `RedisError`, or with `PostgresError` when a reservation is needed and fails. A grant whose answer was lost stays counted.
 */
export function redisBudget(options: RedisBudgetOptions): RedisBudget {
  const { redis, pool, name, limits, now } = options;
  const toldNow = (): number | undefined => now?.();
  const script = new BudgetScript(redis, name, limits, toldNow);
  const reservations = new Reservations(redis, script, new Lease(pool, name, limits, toldNow));
  const durable = postgresBudget({ pool, name, limits, ...(now && { now }) });
  return {
    take: async (lane, most, lateMs) => take(script, reservations, askOf(lane, most, lateMs)),
    refund: async (lane, count = 1) => script.refund(lane, wholeFrom1(count)),
    settle: async (reservation, arrivedMs, count = 1) => {
      await script.settle(reservation, settledTimestamp(reservation, arrivedMs), wholeFrom1(count));
    },
    pause: async (window, ms) => {
      const bounded = boundedPauseMs(ms);
      // Both, even if one fails: the first acts at once, the second when Redis is lost.
      const paused = await Promise.allSettled([script.pause(window, bounded), durable.pause(window, bounded)]);
      for (const each of paused) if (each.status === 'rejected') throw each.reason;
    },
    remaining: async () => {
      // Without Redis the row answers; it counts up to a block more.
      const looked = await script.look().catch(() => undefined);
      return looked?.kind === 'state' ? remaining(looked.state, looked.now, limits) : durable.remaining();
    },
    settled: () => reservations.settled(),
  };
}

/** Asks the script again after each reservation or rebuild that it needed. */
async function take(script: BudgetScript, reservations: Reservations, ask: Ask): Promise<Grant> {
  let asked = ask;
  let refusedEpoch: string | undefined;
  for (let turn = 0; turn < mostTurns; turn++) {
    const taken = await script.take(asked);
    if (taken.kind === 'granted') {
      if (taken.ahead) reservations.reserveAhead(taken.need);
      return { granted: true, count: taken.count, reservation: taken.reservation };
    }
    if (taken.kind === 'refused') return { granted: false, waitMs: taken.waitMs, window: taken.window };
    if (taken.kind === 'reserve' && taken.need.epoch !== refusedEpoch) {
      try {
        if (!(await reservations.reserve(taken.need))) refusedEpoch = taken.need.epoch;
      } catch (error) {
        // Without the database, existing reservations may still be used.
        if (taken.left === 0) throw error;
        asked = { ...asked, most: taken.left };
      }
      continue;
    }
    const refusedForMs = await reservations.rebuild(taken.kind === 'lost' ? taken.seen : taken.need);
    if (refusedForMs !== undefined) return wait(refusedForMs);
  }
  return wait(soonMs);
}

function wait(ms: number): Grant {
  return { granted: false, waitMs: Math.max(1, Math.ceil(ms)), window: 'second' };
}
