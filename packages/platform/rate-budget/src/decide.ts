import { type Reservation, type BudgetLimits, type Grant, type Lane, mostAtOnce, mostLateMs, type Remaining } from './budget.ts';
import { dayMs, grantAgeMs, midnightGuardMs, type Pace, paceOf, ticksPerMs } from './pace.ts';

type Counts = Readonly<Record<Lane, number>>;

/** The state of one budget. Times are Unix milliseconds. */
export interface BudgetState {
  /** Theoretical arrival time, see `paceOf`. It never goes back, so a clock set back grants nothing extra. */
  readonly tat: number;
  /** Logged times of the last grants, oldest first, as many as `paceOf` asks for. They never go back either. */
  readonly log: readonly number[];
  /** The UTC day (days since 1970) of `used`. */
  readonly day: number;
  readonly used: Counts;
  readonly pausedSecondUntil: number;
  readonly pausedDayUntil: number;
}

const none: Counts = { withdrawal: 0, deposit: 0, rescreen: 0 };
export const emptyState: BudgetState = { tat: 0, log: [], day: 0, used: none, pausedSecondUntil: 0, pausedDayUntil: 0 };

const longestPauseMs = 48 * 3_600_000;
/** An earlier refund could belong to the day before, whose count is closed. */
export const refundFromMs = midnightGuardMs + 60_000;

export interface Ask {
  readonly lane: Lane;
  readonly most: number;
  readonly lateMs: number;
}

/** All inputs of the rule, as one JSON value for adapters that implement `decide` in another language. */
export function ruleArguments({ lane, most, lateMs }: Ask, pace: Pace) {
  return {
    lane,
    most,
    late_ms: lateMs,
    logged: pace.logged,
    span_ms: pace.spanMs,
    interval_ms: pace.intervalMs,
    tolerance_ms: pace.toleranceMs,
    ticks_per_ms: ticksPerMs,
    per_day: pace.perDay,
    reserve: pace.reserve,
    rescreen_most: pace.rescreenMost,
    guard_ms: midnightGuardMs,
    most_late_ms: mostLateMs,
  };
}

/** Rejects invalid numbers and caps `most`. */
export function askOf(lane: Lane, most = 1, lateMs = 0): Ask {
  if (!(lateMs >= 0 && lateMs <= mostLateMs)) throw new RangeError(`lateMs must be from 0 to ${mostLateMs}`);
  return { lane, most: Math.min(wholeFrom1(most), mostAtOnce), lateMs };
}

export function wholeFrom1(count: number): number {
  if (!(Number.isSafeInteger(count) && count >= 1)) throw new RangeError('a count must be a whole number from 1');
  return count;
}

/**
 * Pure; only a grant changes the state. `budget.take` in PostgreSQL and `budget.lua` in Redis implement the same.
 *
 * A grant counts as of `lateMs` from now. With a log that costs `lateMs` once in N grants; without one it delays the next grant by as much.
 *
 * A clock set back never grants more: `tat`, `log` and `day` stay until it catches up. (A clock wrongly set forward by more than a day does
 * start a new count, which cannot be detected here.)
 */
export function decide(state: BudgetState, ask: Ask, now: number, limits: BudgetLimits): { state: BudgetState; grant: Grant } {
  const { lane, most, lateMs } = ask;
  const pace = paceOf(limits);
  const { day, used } = onDayOf(state, now);
  const refuse = (window: 'second' | 'day', until: number): { state: BudgetState; grant: Grant } => ({
    state,
    grant: { granted: false, waitMs: Math.max(1, Math.ceil(until - now)), window },
  });
  const opens = day * dayMs + midnightGuardMs;
  const room = roomOf(used, lane, pace);
  if (now < state.pausedDayUntil) return refuse('day', state.pausedDayUntil);
  if (room <= 0) return refuse('day', opens + dayMs);
  const earliest = Math.max(paceOpens(state, pace), state.pausedSecondUntil, opens);
  if (now < earliest) return refuse('second', earliest);
  if (now >= (day + 1) * dayMs - midnightGuardMs) return refuse('second', opens + dayMs);
  const count = Math.min(most, room, atOnce(state, pace, now));
  const tat = Math.max(pace.logged === 0 ? now + lateMs : now, state.tat) + Math.ceil(count * pace.intervalMs * ticksPerMs) / ticksPerMs;
  const log = logWith(state.log, count, now + lateMs, pace);
  const timestamp = log.at(-1);
  const reservation = timestamp === undefined ? null : { at: now, timestamp };
  return {
    state: { ...state, tat, log, day, used: { ...used, [lane]: used[lane] + count } },
    grant: { granted: true, count, reservation },
  };
}

function paceOpens(state: BudgetState, pace: Pace): number {
  const nthLast = pace.logged === 0 ? undefined : state.log[state.log.length - pace.logged];
  return Math.max(state.tat - pace.toleranceMs, nthLast === undefined ? 0 : nthLast + pace.spanMs);
}

/** The number of grants by the pace, given that one is due (rounding could yield none). */
function atOnce(state: BudgetState, pace: Pace, now: number): number {
  const smooth = 1 + Math.max(0, Math.floor((pace.toleranceMs - (Math.max(state.tat, now) - now)) / pace.intervalMs));
  if (pace.logged === 0) return smooth;
  return Math.min(smooth, pace.logged - recentOf(state, pace, now).length);
}

function logWith(log: readonly number[], count: number, timestamp: number, pace: Pace): readonly number[] {
  if (pace.logged === 0) return [];
  const at = Math.max(timestamp, log.at(-1) ?? 0);
  return [...log, ...Array.from({ length: count }, () => at)].slice(-pace.logged);
}

/** See `RateBudget.refund`. */
export function refund(state: BudgetState, lane: Lane, count: number, now: number): BudgetState {
  const isToday = Math.floor(now / dayMs) === state.day && now >= state.day * dayMs + refundFromMs;
  return isToday ? { ...state, used: { ...state.used, [lane]: Math.max(0, state.used[lane] - count) } } : state;
}

/** The time to log instead; null for an unused grant. */
export function settledTimestamp({ at }: Reservation, arrivedMs: number | null): number | null {
  // A send may follow the logged time by `grantAgeMs`, which the span allows for.
  return arrivedMs === null ? null : at - grantAgeMs + Math.max(arrivedMs, 0);
}

/** See `RateBudget.settle`. The log stays sorted. Forgotten entries do no harm: they were a whole span old at the grant. */
export function settle(state: BudgetState, { timestamp }: Reservation, to: number | null, count: number): BudgetState {
  const first = state.log.indexOf(timestamp);
  if (first === -1) return state;
  const found = Math.min(count, state.log.lastIndexOf(timestamp) - first + 1);
  const rest = state.log.toSpliced(first, found);
  const log = to === null ? rest : [...rest, ...Array.from({ length: found }, () => to)].sort((a, b) => a - b);
  return { ...state, log };
}

/** See `RateBudget.pause`. A pause never becomes shorter. */
export function pause(state: BudgetState, window: 'second' | 'day', ms: number, now: number): BudgetState {
  const until = now + boundedPauseMs(ms);
  return window === 'second'
    ? { ...state, pausedSecondUntil: Math.max(state.pausedSecondUntil, until) }
    : { ...state, pausedDayUntil: Math.max(state.pausedDayUntil, until) };
}

export function boundedPauseMs(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestPauseMs);
}

/** See `RateBudget.remaining`. */
export function remaining(state: BudgetState, now: number, limits: BudgetLimits): Remaining {
  const pace = paceOf(limits);
  const { used } = onDayOf(state, now);
  const paused = Math.max(state.pausedSecondUntil, state.pausedDayUntil);
  const left = (lane: Lane): number => Math.max(0, roomOf(used, lane, pace));
  return {
    day: { withdrawal: left('withdrawal'), deposit: left('deposit'), rescreen: left('rescreen') },
    second: paused > now ? 0 : leftOfSecond(state, pace, now),
    limits,
    pausedUntil: paused > now ? paused : null,
  };
}

/** With a log: the rest of the sliding second. Without one: the grants that the pace allows now. */
function leftOfSecond(state: BudgetState, pace: Pace, now: number): number {
  if (pace.logged > 0) return pace.logged - recentOf(state, pace, now).length;
  return now < paceOpens(state, pace) ? 0 : atOnce(state, pace, now);
}

function recentOf(state: BudgetState, pace: Pace, now: number): readonly number[] {
  return state.log.slice(-pace.logged).filter((timestamp) => now < timestamp + pace.spanMs);
}

function onDayOf(state: BudgetState, now: number): { day: number; used: Counts } {
  const day = Math.max(state.day, Math.floor(now / dayMs));
  return { day, used: day === state.day ? state.used : none };
}

/** Lanes other than withdrawals leave the unused part of the reserve. */
function roomOf(used: Counts, lane: Lane, pace: Pace): number {
  const left = pace.perDay - used.withdrawal - used.deposit - used.rescreen;
  if (lane === 'withdrawal') return left;
  const free = left - Math.max(0, pace.reserve - used.withdrawal);
  return lane === 'deposit' ? free : Math.min(free, pace.rescreenMost - used.rescreen);
}
