import type { BudgetLimits, Lane } from '../budget.ts';

/** How long Redis grants without PostgreSQL, and another server waits for one that vanished. */
export const holdMs = 3_000;
const leastBlock = 50;

/** Creates reserved ahead per lane: a hundredth of the day, at most 50 or a second's worth if that is more. */
export function blockOf({ perSecond, perDay }: BudgetLimits): number {
  return Math.max(1, Math.floor(Math.min(perDay / 100, Math.max(leastBlock, perSecond))));
}

export interface Seen {
  readonly now: number;
  readonly server: string;
  /** The hold under which the state was built; empty without a state. */
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

/** PostgreSQL's row, for the server that receives the hold. */
export interface Adoption extends Reserved {
  readonly epoch: string;
  /** Nothing may be granted for so long. */
  readonly waitSecondMs: number;
  readonly waitDayMs: number;
}
