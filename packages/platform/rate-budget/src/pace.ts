import type { BudgetLimits } from './budget.ts';

export const dayMs = 86_400_000;
const windowMs = 1_000;
/** How much longer than the window N + 1 grants last: what a grant may age before it is sent, and the network's and the clocks' unevenness. */
const marginMs = 50;
/** How old a grant may be when it is sent, counted from the asking. */
export const grantAgeMs = 40;
/** Where moments are kept: that age, for a grant of which nothing more is heard, and 30 ms by which sends arrive apart from their turn on a busy machine. */
const marginLoggedMs = grantAgeMs + 30;
/** Up to this N the moments of the last N grants are kept. 100 of them are 0.8 kB in a row; more would soon leave the row's own page. */
const mostLogged = 100;
/** How late a taker may come without losing pace where no moments are kept. It is paid for with pace. */
const toleranceMs = 10;
/** Where moments are kept, so much lateness, or three intervals if that is more, is caught up. It costs no pace, only smoothness. */
const catchUpMs = 100;
/** No grants this close to midnight on either side, so that what is granted on one day can't be counted by the upstream on another. */
export const midnightGuardMs = 1_000;
/** Steps of the theoretical arrival time are whole multiples of this, which doubles hold exactly until 2039; see `paceOf`. */
export const ticksPerMs = 4_096;

/** Everything the rule needs to know of the limits. All in milliseconds or whole numbers of creates. */
export interface Pace {
  /** N: sends allowed in any window. */
  readonly count: number;
  /** How many grant moments are kept: N, or 0 when there are too many. */
  readonly logged: number;
  readonly intervalMs: number;
  readonly toleranceMs: number;
  /** Any N + 1 grants span at least this much. */
  readonly spanMs: number;
  readonly perDay: number;
  /** Kept for withdrawals. */
  readonly reserve: number;
  /** The most that re-screening may use. */
  readonly rescreenMost: number;
}

/**
 * The arithmetic of the pace. With W the window, any N + 1 grants span at least W + 50 ms (70 ms where N ≤ 100): never more than N in a window, whatever N is.
 *
 * Smoothing is GCRA (ITU-T I.371 annex A, as virtual scheduling). Its state is one number, the theoretical arrival time `tat`. A grant at time t
 * needs t ≥ tat − τ and sets tat = max(t, tat) + T. By itself it promises that N + 1 grants span N·T − τ, so tolerance costs pace.
 *
 * - N ≤ 100: the promise is kept by an exact sliding log. A grant needs t ≥ r + W + 70 as well, with r the moment of the grant N before it.
 *   GCRA then only keeps a second's worth from going at once: T = W/N, and τ = 3 T (at least 100 ms) is free. For small N, τ is
 *   (N − 1)/2 intervals at most, so that no more than half a window's worth, rounded up, goes at once. Each grant's lateness delays the one N
 *   places later, not the next: it costs once in N grants. Of the 70 ms, 40 are for a grant's age when it is sent, and 30 for the way. Once a send is
 *   known to have arrived, the way's usual time aside, a ms after its grant was asked for, r becomes t − 40 + a (`settle`). N + 1 arrivals then span
 *   at least W + 30 by what is known, and the pace is N per W + 30 + a: 96.6 % of the limit for W = 1 s and a = 5 ms; 93.5 % where nothing is heard.
 * - N > 100: GCRA alone, with T = (W + 60)/N and τ = 10 ms: N·T − τ = W + 50. The pace is 94.3 % of the limit, and 1 + ⌊τ/T⌋ grants come at once
 *   (10 at 1000/s, T = 1.06 ms). A taker that is up to τ late still gets the whole pace; what is later is lost.
 * - Below 1/s the window is the time in which one is allowed, W = 1000/perSecond, and N = 1. So 0.5/s is one per 2,070 ms.
 * - `tat` moves in steps that are rounded up to 1/4096 ms, so that adding a small T to a time of today never rounds it down.
 *
 * The day's shares: a third (rounded up) is kept for withdrawals, a tenth (rounded down) is the most that re-screening may use.
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
