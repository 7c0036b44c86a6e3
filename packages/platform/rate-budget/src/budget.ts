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
  readonly timestamp: number;
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
   * Takes creates before they are spent: a crash can waste them, never overspend. Never waits. Grants up to `most` (default 1, capped at
   * `mostAtOnce`) at once. `lateMs` (default 0, at most `mostLateMs`) announces a later send and slows everybody. Rejects with
   * `RangeError`.
   */
  take(lane: Lane, most?: number, lateMs?: number): Promise<Grant>;
  /**
   * Refunds `count` certainly unused grants (default 1) to the day, once and within a minute; not to the second. No effect in the first
   * minute of a day, since they may be of the day before.
   */
  refund(lane: Lane, count?: number): Promise<void>;
  /**
   * Reports `count` grants (default 1) of a reservation: arrived at most `arrivedMs` after the take, less a call's usual travel time, or
   * never used (null). Others then wait less. At most once per grant; without it the reserved time stands.
   */
  settle(reservation: Reservation, arrivedMs: number | null, count?: number): Promise<void>;
  /** The upstream sent a stop: no grants to anybody until then. At most 48 hours. */
  pause(window: 'second' | 'day', ms: number): Promise<void>;
  remaining(): Promise<Remaining>;
}

export const mostAtOnce = 1_000;
/** The largest lateness of a grant that its budget answers slowly (`Lateness`). */
export const mostGrantLateMs = 500;
/** Until a send is answered, it counts as this late (`PacedSender`). */
export const arrivalLateMs = 400;
/** The largest lateness of a take, within the guard around midnight. */
export const mostLateMs = mostGrantLateMs + arrivalLateMs;
