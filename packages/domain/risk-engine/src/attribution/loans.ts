import { type Payment, transactionsOf } from './payment.ts';

/**
 * What two addresses pay each other in one coin within one transaction changes nothing but by the difference: a flash loan, a refund. Left in,
 * any sum could be borrowed for a moment to dilute other money. `isApart`: sources, because contact counts, and services, which pay for
 * others too.
 */
export function withoutLoans(payments: readonly Payment[], isApart: (address: string) => boolean): readonly Payment[] {
  const left = new Map<number, number>();
  for (const legs of transactionsOf(payments)) settle(payments, legs, isApart, left);
  return left.size === 0 ? payments : payments.map((payment, index) => ({ ...payment, usd: left.get(index) ?? payment.usd }));
}

/** `left`: USD by payment. */
function settle(
  payments: readonly Payment[],
  legs: readonly number[],
  isApart: (address: string) => boolean,
  left: Map<number, number>,
): void {
  const valued = legs.filter((index) => payments[index]?.movement.usd !== null);
  const pairs = Map.groupBy(valued, (index) => keyOf(payments[index] as Payment, 'payer', 'payee'));
  for (const index of valued) {
    const payment = payments[index] as Payment;
    const back = pairs.get(keyOf(payment, 'payee', 'payer'))?.filter((other) => other > index) ?? [];
    if (back.length === 0 || isApart(payment.payer) || isApart(payment.payee)) continue;
    for (const other of back) {
      const [ours, theirs] = [left.get(index) ?? payment.usd, left.get(other) ?? payments[other]?.usd ?? 0];
      const usd = Math.min(ours, theirs);
      left.set(index, ours - usd);
      left.set(other, theirs - usd);
    }
  }
}

function keyOf(payment: Payment, from: 'payer' | 'payee', to: 'payer' | 'payee'): string {
  return `${payment[from]}\n${payment[to]}\n${payment.movement.coin}`;
}
