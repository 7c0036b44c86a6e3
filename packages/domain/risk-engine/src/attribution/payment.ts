import type { Movement, Side } from '../store.ts';

/** A movement as one side sees it: for `out` time runs backwards, and the receiver pays the sender. */
export interface Payment {
  /** Milliseconds, rising. */
  readonly at: number;
  /** In its transaction, rising. */
  readonly place: number;
  readonly payer: string;
  readonly payee: string;
  /** Estimated if the movement's value is unknown. */
  readonly usd: number;
  readonly movement: Movement;
}

/** `ordered`: by `inTimeOrder`. */
export function paymentsOf(ordered: readonly Movement[], side: Side): Payment[] {
  const oriented = side === 'in' ? ordered : ordered.toReversed();
  const estimate = estimatesOf(oriented, side);
  return oriented.map((movement) => {
    const [payer, payee] = partiesOf(movement, side);
    return {
      at: timeOf(movement.at, side),
      place: timeOf(movement.position, side),
      payer,
      payee,
      usd: movement.usd ?? estimate(payee),
      movement,
    };
  });
}

/** A time or position of the chain as the side sees it. It is its own inverse. */
export function timeOf(at: number, side: Side): number {
  return side === 'in' ? at : -at;
}

export function partiesOf({ from, to }: Movement, side: Side): readonly [payer: string, payee: string] {
  return side === 'in' ? [from, to] : [to, from];
}

/**
 * An unknown value counts as the payee's average known one, all of them together at most as much as the known ones, because worthless
 * tokens are free to send. Where no value is known each transfer counts 1.
 */
function estimatesOf(movements: readonly Movement[], side: Side): (payee: string) => number {
  const sums = new Map<string, { usd: number; known: number; unknown: number }>();
  for (const movement of movements) {
    const [, payee] = partiesOf(movement, side);
    const sum = sums.get(payee) ?? { usd: 0, known: 0, unknown: 0 };
    sums.set(payee, sum);
    if (movement.usd === null) sum.unknown++;
    else {
      sum.known++;
      sum.usd += movement.usd;
    }
  }
  return (payee) => {
    const sum = sums.get(payee);
    return sum === undefined || sum.usd === 0 ? 1 : sum.usd / Math.max(sum.known, sum.unknown);
  };
}

/** Of each transaction with several payments, their indices. */
export function transactionsOf(payments: readonly Payment[]): number[][] {
  const first = new Map<string, number>();
  const several = new Map<string, number[]>();
  payments.forEach(({ movement: { tx } }, index) => {
    const before = first.get(tx);
    if (before === undefined) return first.set(tx, index);
    const indices = several.get(tx);
    return indices === undefined ? several.set(tx, [before, index]) : indices.push(index);
  });
  return [...several.values()];
}
