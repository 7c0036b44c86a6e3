import type { Ledger, TraceDirection, TracedPayment } from './ledger.ts';

/** Payments that follow each other, from the last followed one back to the first. */
export interface Trail {
  /** Of a payment. */
  readonly index: number;
  readonly before: Trail | undefined;
}

/** A payment's part of the traced money. */
export interface Carried {
  readonly usd: number;
  /** The way on which most of it went, and how much did. */
  readonly main: Way | undefined;
}

export interface Way {
  readonly usd: number;
  readonly trail: Trail;
}

export const nothing: Carried = Object.freeze({ usd: 0, main: undefined });

/** Which payments are traced whole: those of the thief, or those to the customer. */
export interface TraceStart {
  readonly direction: TraceDirection;
  readonly isStart: (index: number) => boolean;
}

/** One of the three rules. What it answers is by the payment's index. */
export type TraceMethod = (ledger: Ledger, start: TraceStart) => readonly Carried[];

/** A payment as the direction sees it: the money comes from `near`, and is followed to `far`. */
export interface Step {
  readonly index: number;
  readonly usd: number;
  readonly near: string;
  readonly far: string;
}

/** In the order in which the direction meets the payments. */
export function* stepsOf(payments: readonly TracedPayment[], direction: TraceDirection): Generator<Step> {
  for (let place = 0; place < payments.length; place++) {
    const index = direction === 'forward' ? place : payments.length - 1 - place;
    const { from, to, usd } = payments[index] as TracedPayment;
    yield direction === 'forward' ? { index, usd, near: from, far: to } : { index, usd, near: to, far: from };
  }
}
