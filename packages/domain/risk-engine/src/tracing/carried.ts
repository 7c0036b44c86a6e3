import type { Ledger, TraceDirection, TracedPayment } from './ledger.ts';

/** Payments that follow each other, from the last followed one back to the first. */
export interface Trail {
  /** Of a payment. */
  readonly index: number;
  readonly before: Trail | undefined;
}

/** A part of the traced money. */
export interface Carried {
  readonly value: number;
  /** The way on which most of it went, and how much did. */
  readonly main: Way | undefined;
}

export interface Way {
  readonly value: number;
  readonly trail: Trail;
}

export const nothing: Carried = Object.freeze({ value: 0, main: undefined });

/** Which payments are traced whole: those of the thief, or those to the customer. */
export interface TraceStart {
  readonly direction: TraceDirection;
  readonly isStart: (index: number) => boolean;
}

export interface Followed {
  /** By the payment's index. */
  readonly carried: readonly Carried[];
  /** By address: traced money that is still there. Backward: that the address paid, and no known payment brought. None at ends. */
  readonly kept: ReadonlyMap<string, Carried>;
}

/** One of the three rules. */
export type TraceMethod = (ledger: Ledger, start: TraceStart) => Followed;

/** A payment as the direction sees it: the money comes from `near`, and is followed to `far`. */
export interface Step {
  readonly index: number;
  readonly value: number;
  readonly near: string;
  readonly far: string;
}

/** In the order in which the direction meets the payments. */
export function* stepsOf(payments: readonly TracedPayment[], direction: TraceDirection): Generator<Step> {
  for (let place = 0; place < payments.length; place++) {
    const index = direction === 'forward' ? place : payments.length - 1 - place;
    const { from, to, value } = payments[index] as TracedPayment;
    yield direction === 'forward' ? { index, value, near: from, far: to } : { index, value, near: to, far: from };
  }
}

export function largerWay(a: Way | undefined, b: Way | undefined): Way | undefined {
  return b === undefined || (a !== undefined && a.value >= b.value) ? a : b;
}

/** Adds to the sum of an address. */
export function keep(kept: Map<string, Carried>, address: string, { value, main }: Carried): void {
  const before = kept.get(address) ?? nothing;
  kept.set(address, { value: before.value + value, main: largerWay(before.main, main) });
}
