import type { BudgetLimits } from './budget.ts';

export const dayMs = 86_400_000;
const windowMs = 1_000;
/** The span of N + 1 grants beyond the window: a grant's age at the send, plus jitter of network and clocks. */
const marginMs = 50;
/** The oldest age of a grant at its send, counted from the take. */
export const grantAgeMs = 40;
/** With a log: that age, for unsettled grants, plus 30 ms of arrival jitter on a busy machine. */
const marginLoggedMs = grantAgeMs + 30;
/** The largest N with a log. 100 times take 0.8 kB of a row; more would soon leave the row's page. */
const mostLogged = 100;
/** Lateness of a taker that costs no pace without a log. It lowers the pace itself. */
const toleranceMs = 10;
/** With a log, lateness up to this (or three intervals) is caught up. It costs smoothness, not pace. */
const catchUpMs = 100;
/** No grants this close to midnight, so that the upstream counts each on the same day as we do. */
export const midnightGuardMs = 1_000;
/** `tat` moves in multiples of 1/4096 ms, exact in doubles until 2039; see `paceOf`. */
export const ticksPerMs = 4_096;

/** The limits as the rule needs them, in milliseconds or whole creates. */
export interface Pace {
  /** N: sends allowed in any window. */
  readonly count: number;
  /** Entries in the log: N, or 0 if N is too large. */
  readonly logged: number;
  readonly intervalMs: number;
  readonly toleranceMs: number;
  /** Any N + 1 grants span at least this. */
  readonly spanMs: number;
  readonly perDay: number;
  /** Reserved for withdrawals. */
  readonly reserve: number;
  /** The most for re-screening. */
  readonly rescreenMost: number;
}

/**
 * With W the window, any N + 1 grants span at least W + 50 ms (70 ms for N ≤ 100): never more than N in a window.
 *
 * Smoothing is GCRA (ITU-T I.371 annex A, as virtual scheduling). Its state is the theoretical arrival time `tat`. A grant at time t needs
 * t ≥ tat − τ and sets tat = max(t, tat) + T. Alone it guarantees that N + 1 grants span N·T − τ, so tolerance costs pace.
 *
 * - N ≤ 100: an exact sliding log. A grant also needs t ≥ r + W + 70, with r the time of the grant N before it. GCRA only spreads a
 *   second's grants: T = W/N, and τ = 3 T (at least 100 ms) is free. For small N, τ is at most (N − 1)/2 intervals. A late grant delays
 *   only the one N places later. Of the 70 ms, 40 are a grant's age at its send, and 30 the jitter on the way. Until its answer a send may
 *   arrive 400 ms later, so r is t + 400. Once it is known to have arrived a ms after the take, less its usual travel time, r becomes
 *   t − 40 + a (`settle`). N + 1 arrivals then span at least W + 30, and the pace is N per W + 30 + a: 96.6 % of the limit for W = 1 s and
 *   a = 5 ms; 68 % without answers.
 * - N > 100: GCRA alone, with T = (W + 60)/N and τ = 10 ms: N·T − τ = W + 50. The pace is 94.3 % of the limit, and 1 + ⌊τ/T⌋ grants come at
 *   once (10 at 1000/s, T = 1.06 ms). A taker up to τ late keeps the whole pace; more is lost.
 * - Below 1/s the window is the time for one, W = 1000/perSecond, and N = 1. So 0.5/s is one per 2,070 ms.
 * - `tat` moves in steps rounded up to 1/4096 ms, so that adding a small T never rounds it down.
 *
 * A third of the day (rounded up) is reserved for withdrawals; re-screening may use at most a tenth (rounded down).
 */
export function paceOf(limits: BudgetLimits): Pace {
  const { perSecond, perDay } = limits;
  if (!(perSecond > 0 && perSecond <= 1_000_000)) throw new RangeError('perSecond must be above 0 and at most 1,000,000');
  if (!(Number.isInteger(perDay) && perDay >= 0 && perDay <= 2_147_483_647))
    throw new RangeError('perDay must be a whole number from 0 to 2,147,483,647');
  const count = Math.max(1, Math.floor(perSecond));
  const spanMs = (perSecond < 1 ? windowMs / perSecond : windowMs) + (count > mostLogged ? marginMs : marginLoggedMs);
  const shares = { perDay, reserve: Math.ceil(perDay / 3), rescreenMost: Math.floor(perDay / 10) };
  if (count > mostLogged) return { count, logged: 0, spanMs, intervalMs: (spanMs + toleranceMs) / count, toleranceMs, ...shares };
  const intervalMs = (spanMs - marginLoggedMs) / count;
  const tolerated = Math.min(Math.max(3 * intervalMs, catchUpMs), ((count - 1) / 2) * intervalMs);
  return { count, logged: count, spanMs, intervalMs, toleranceMs: tolerated, ...shares };
}
