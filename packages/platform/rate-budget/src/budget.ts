export type Lane = 'withdrawal' | 'deposit' | 'rescreen';

/** In order of precedence between equals. */
export const lanes: readonly Lane[] = ['withdrawal', 'deposit', 'rescreen'];

/** The upstream's limits for one key. */
export interface BudgetLimits {
  /** Per sliding second, rounded down above 1. Below 1: one per `1 / perSecond` seconds. */
  readonly perSecond: number;
  /** Per UTC day; a whole number. */
  readonly perDay: number;
}

export type Grant =
  /** `count` is between 1 and the requested number. `reservation` is null without a log. */
  | { readonly granted: true; readonly count: number; readonly reservation: Reservation | null }
  /** Retry after `waitMs` (whole, at least 1); earlier is pointless. */
  | { readonly granted: false; readonly waitMs: number; readonly window: 'second' | 'day' };

/** A grant's entry in the log, in Unix milliseconds of the budget's clock. */
export interface Reservation {
  readonly at: number;
  /** The logged time, which assumes that the send is as late as allowed. */
  readonly moment: number;
}

export interface Remaining {
  /** Creates left today per lane, if the other lanes took none. */
  readonly day: Readonly<Record<Lane, number>>;
  /** Creates available now without a wait, regardless of the day's shares. */
  readonly second: number;
  readonly limits: BudgetLimits;
  /** Unix milliseconds; null when not paused. */
  readonly pausedUntil: number | null;
}

/** The budget of one upstream, shared by all processes that spend it. */
export interface RateBudget {
  /**
   * Takes creates before they are spent: a crash can waste them, never overspend. Never waits. Grants up to `most` (default 1, whole, at
   * least 1, capped at `mostAtOnce`) at once. `lateMs` (default 0, at most `mostLateMs`) announces a later send than usual, which slows
   * everybody's pace. Rejects with a `RangeError` for other numbers.
   */
  take(lane: Lane, most?: number, lateMs?: number): Promise<Grant>;
  /**
   * Refunds `count` grants (default 1) to the day. They must certainly be unused; refund at most once, within a minute. The second's slots
   * are not refunded. Has no effect in the first minute of a day, since the grants may be of the day before.
   */
  refund(lane: Lane, count?: number): Promise<void>;
  /**
   * Reports the outcome of `count` grants (default 1) of one reservation: arrived at most `arrivedMs` after the take, not counting a call's
   * usual travel time, or never used (null). The log then holds that lateness, mostly less than assumed, so others wait less. At most once
   * per grant; without it the reserved time stands.
   */
  settle(reservation: Reservation, arrivedMs: number | null, count?: number): Promise<void>;
  /** The upstream sent a stop: no grants to anybody until then. At most 48 hours. */
  pause(window: 'second' | 'day', ms: number): Promise<void>;
  remaining(): Promise<Remaining>;
}

export const mostAtOnce = 1_000;
/** The largest lateness, well within the guard around midnight. */
export const mostLateMs = 500;
