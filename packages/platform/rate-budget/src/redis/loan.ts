import type { BudgetLimits, Lane } from '../budget.ts';

/** Without a word from PostgreSQL Redis grants for so long. It is also the longest that another server waits for one that has gone. */
export const holdMs = 3_000;
const leastBlock = 50;

/** How many creates are reserved ahead, per lane: a hundredth of the day, but no more than 50, or a second's worth where that is more. */
export function blockOf({ perSecond, perDay }: BudgetLimits): number {
  return Math.max(1, Math.floor(Math.min(perDay / 100, Math.max(leastBlock, perSecond))));
}

/** Of which state a server told. */
export interface Seen {
  /** Unix milliseconds by the clock of Redis. */
  readonly now: number;
  readonly server: string;
  /** The hold of PostgreSQL's row under which the state was made; empty when there is no state. */
  readonly epoch: string;
}

/** A count that PostgreSQL must have reserved before it may be used. */
export interface Need extends Seen {
  /** Days since 1970. */
  readonly day: number;
  readonly lane: Lane;
  readonly upto: number;
}

/** What PostgreSQL's row says. */
export interface Reserved {
  readonly day: number;
  readonly used: Readonly<Record<Lane, number>>;
}

/** What PostgreSQL's row says to the server that it has given the hold. */
export interface Adoption extends Reserved {
  readonly epoch: string;
  /** For so long nothing may be granted. */
  readonly waitSecondMs: number;
  readonly waitDayMs: number;
}
