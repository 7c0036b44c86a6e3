import type { Rule } from './holding.ts';
import type { Payment } from './payment.ts';

type Kind = 'source' | 'service' | 'wallet';

interface Definition {
  readonly kindOf: (address: string) => Kind;
  readonly rule: Rule;
}

interface Paid {
  readonly payment: Payment;
  readonly mass: number;
}

interface Money {
  readonly usd: number;
  readonly mass: number;
}

/**
 * The illicit USD of each payment by definition: for each one its payer's whole past is replayed. One kind of source, everything read,
 * no probable services and no links inside transactions.
 */
export function oracle(payments: readonly Payment[], definition: Definition): number[] {
  const past: Paid[] = [];
  for (const payment of payments) past.push({ payment, mass: massOf(payment, past, definition) });
  return past.map(({ mass }) => mass);
}

function massOf(payment: Payment, past: readonly Paid[], { kindOf, rule }: Definition): number {
  const { payer, payee, usd } = payment;
  if (kindOf(payer) === 'source') return usd;
  if (kindOf(payee) === 'source') return 0;
  if (kindOf(payer) === 'service') {
    const customer = past.map((one) => ({
      ...one,
      isIn: one.payment.payer === payee && kindOf(one.payment.payee) === 'service',
      isOut: one.payment.payee === payee && kindOf(one.payment.payer) === 'service',
    }));
    return taken(heldAfter(customer, rule), usd, rule).mass;
  }
  const own = past.map((one) => ({ ...one, isIn: one.payment.payee === payer, isOut: one.payment.payer === payer }));
  const income = own.filter(({ isIn }) => isIn).map(({ payment: { usd: received }, mass }) => ({ usd: received, mass }));
  const received = { usd: sum(income.map((one) => one.usd)), mass: sum(income.map((one) => one.mass)) };
  const known = taken(heldAfter(own, rule), usd, rule);
  const mass = known.mass + (received.usd > 0 ? ((usd - known.usd) / received.usd) * received.mass : 0);
  const passedOn = sum(own.filter(({ isOut }) => isOut).map((one) => one.mass));
  return received.mass < 10 ? Math.min(mass, Math.max(2 * received.mass - passedOn, 0)) : mass;
}

function heldAfter(past: readonly (Paid & { readonly isIn: boolean; readonly isOut: boolean })[], rule: Rule): readonly Money[] {
  let held: readonly Money[] = [];
  for (const { payment, mass, isIn, isOut } of past) {
    if (isIn) held = [...held, { usd: payment.usd, mass }];
    else if (isOut) held = taken(held, payment.usd, rule).left;
  }
  return held;
}

/** At most all that is held. */
function taken(held: readonly Money[], wanted: number, rule: Rule): Money & { readonly left: readonly Money[] } {
  const usd = Math.min(wanted, sum(held.map((one) => one.usd)));
  const all = sum(held.map((one) => one.usd));
  let missing = usd;
  const inOrder = rule === 'lifo' ? held.toReversed() : held;
  const parts = inOrder.map((one) => {
    const part = rule === 'haircut' ? (usd / all) * one.usd : Math.min(missing, one.usd);
    missing -= part;
    return { one, share: one.usd > 0 ? part / one.usd : 0 };
  });
  const left = parts.map(({ one, share }) => ({ usd: one.usd * (1 - share), mass: one.mass * (1 - share) }));
  return { usd, mass: sum(parts.map(({ one, share }) => one.mass * share)), left: rule === 'lifo' ? left.toReversed() : left };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
