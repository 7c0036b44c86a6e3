import type { Taint } from './taint.ts';

/** Which of an address's money a payment takes: a part of each unit, the units that came first, or those that came last. */
export const rules = ['haircut', 'fifo', 'lifo'] as const;
export type Rule = (typeof rules)[number];

/** The money that an address has. */
export interface Holding {
  /** USD, illicit or not read. */
  readonly tainted: number;
  /** `share`: the part of the payment of `usd` that stays. The taint is kept, and must not change. */
  add(usd: number, taint: Taint, share: number): void;
  /** `usd`: at most `balance`, which is all that was added and not taken. */
  take(usd: number, balance: number): Taint;
}
