export type Lane = 'withdrawal' | 'deposit' | 'rescreen';

/** In order of precedence where all else is equal. */
export const lanes: readonly Lane[] = ['withdrawal', 'deposit', 'rescreen'];

/** What the upstream allows one key. */
export interface BudgetLimits {
  /** In any sliding second; below 1 it means one in any `1 / perSecond` seconds. Fractions above 1 are rounded down. */
  readonly perSecond: number;
  /** In one UTC day; a whole number. */
  readonly perDay: number;
}

export type Grant =
  /** `count` creates, at least 1 and at most as many as were asked for. `booking` is null where no moments are kept. */
  | { readonly granted: true; readonly count: number; readonly reservation: Reservation | null }
  /** `waitMs` (whole, at least 1): asking again earlier is pointless. */
  | { readonly granted: false; readonly waitMs: number; readonly window: 'second' | 'day' };

/** How grants stand in the log of moments; Unix milliseconds of the budget's clock. */
export interface Reservation {
  /** When they were given. */
  readonly at: number;
  /** The moment they are written down under: as if each were sent as late as it may be. */
  readonly moment: number;
}

export interface Remaining {
  /** How many each lane could still take today if the others took none. */
  readonly day: Readonly<Record<Lane, number>>;
  /** How many could be taken at this moment, before the pace asks to wait; the day's shares aside. */
  readonly second: number;
  readonly limits: BudgetLimits;
  /** Unix milliseconds; null when nothing is paused. */
  readonly pausedUntil: number | null;
}

/** The budget of one upstream, shared by every process that spends it. */
export interface RateBudget {
  /**
   * Takes creates from the budget, counted before they are spent: a crash can waste them, never overspend. Never waits.
   * `most` (default 1, whole, at least 1; above `mostAtOnce` it is cut to that): as many of these as may go at this very moment are granted as one.
   * `lateMs` (default 0, at most `mostLateMs`): how much later than is usual they may be sent. Everybody's pace is slower for it.
   * Rejects with a `RangeError` for other numbers.
   */
  take(lane: Lane, most?: number, lateMs?: number): Promise<Grant>;
  /**
   * Gives back for the day `count` grants (default 1) that were certainly not used, at most once, within a minute. The second's slots are not
   * given back. Has no effect in the first minute of a day, when the grants could be of the day before.
   */
  refund(lane: Lane, count?: number): Promise<void>;
  /**
   * Says of `count` grants (default 1) of one booking what became of them: used, and known to have arrived, at most, `arrivedMs` after they were asked for
   * (the time aside that every call takes on its way); or never used (null). They are written down as that late: mostly sooner than was reckoned, so that
   * others need not wait for lateness that did not happen. At most once for each grant; one that is never settled counts as it was booked.
   */
  settle(reservation: Reservation, arrivedMs: number | null, count?: number): Promise<void>;
  /** The upstream said stop: no grant for anybody before that time. At most 48 hours. */
  pause(window: 'second' | 'day', ms: number): Promise<void>;
  remaining(): Promise<Remaining>;
}

/** The largest block of creates that is granted at once. */
export const mostAtOnce = 1_000;
/** The longest lateness that can be asked for: well within what is kept free on either side of midnight. */
export const mostLateMs = 500;
