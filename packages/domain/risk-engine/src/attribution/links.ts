import { type Payment, transactionsOf } from './payment.ts';
import type { Role } from './solve.ts';

/** Payments by their index. */
export interface Links {
  /** The payments that paid for a payment, inside its transaction. */
  readonly paidBy: ReadonlyMap<number, readonly number[]>;
  /** The share (0 to 1) of a payment that they paid for, where it is not the whole. */
  readonly paidShare: ReadonlyMap<number, number>;
  /** Payments by addresses without a label that were paid for, if at all, against a coin without a price. */
  readonly uncertain: ReadonlySet<number>;
  /** The only address that paid the service in the transaction, by each payment of the service there to the only other one. */
  readonly customers: ReadonlyMap<number, string>;
  /** For each of those that paid the share (0 to 1) that passed through; the rest stayed with the payee. */
  readonly passed: ReadonlyMap<number, number>;
}

interface Leg {
  readonly index: number;
  readonly payment: Payment;
}

interface Passage {
  readonly ins: Leg[];
  readonly outs: Leg[];
}

/** A little more may leave than came: prices of the two coins are of different minutes. */
const mostOut = 1.1;
/** Less is a fee or a payment of its own, unless a service keeps the rest. */
const leastOut = 0.5;

/** Links what an address was paid in a transaction to what it paid there: a swap, a router, an aggregator. */
export function linksOf(payments: readonly Payment[], roleOf: (address: string) => Role): Links {
  const paidBy = new Map<number, readonly number[]>();
  const paidShare = new Map<number, number>();
  const uncertain = new Set<number>();
  const customers = new Map<number, string>();
  const passed = new Map<number, number>();
  for (const [address, passage] of passagesOf(payments)) {
    const role = roleOf(address).kind;
    if (role === 'source' || (role !== 'service' && !exchanges(passage))) continue;
    if (role === 'service') for (const [index, customer] of customersOf(passage, roleOf)) customers.set(index, customer);
    for (const { ins, outs } of groupsOf(passage, role === 'service')) {
      const indices = ins.map(({ index }) => index);
      const [paid, left] = [sumOf(ins), sumOf(outs)];
      const isMore = paysMore({ ins, outs });
      const isCertain = role === 'service' || isValued([...ins, ...outs]);
      for (const { index } of outs) {
        paidBy.set(index, indices);
        if (isMore) paidShare.set(index, paid / valuedUsd(outs));
        if (!isCertain) uncertain.add(index);
      }
      const share = paid > 0 ? Math.min(left / paid, 1) : 0;
      // An estimate must not leave money with an exchange contract, whose other users would get it.
      for (const index of indices) passed.set(index, isCertain ? share : 1);
    }
  }
  return { paidBy, paidShare, uncertain, customers, passed };
}

/** A payout to one other address is drawn by the customer. One to many is the service's own: anybody may call for it, for a little. */
function customersOf({ ins, outs }: Passage, roleOf: (address: string) => Role): [index: number, customer: string][] {
  const [customer, ...payers] = new Set(ins.map(({ payment }) => payment.payer));
  if (customer === undefined || payers.length > 0) return [];
  const drawn = outs.filter(({ payment: { payee } }) => payee !== customer && roleOf(payee).kind !== 'service');
  const isOne = new Set(drawn.map(({ payment }) => payment.payee)).size === 1;
  return isOne ? drawn.map(({ index }) => [index, customer]) : [];
}

/** By address, one for each transaction in which it is paid and pays. */
function passagesOf(payments: readonly Payment[]): (readonly [address: string, passage: Passage])[] {
  return transactionsOf(payments).flatMap((indices) =>
    passagesIn(indices.map((index) => ({ index, payment: payments[index] as Payment }))),
  );
}

function passagesIn(legs: readonly Leg[]): (readonly [address: string, passage: Passage])[] {
  const passages = new Map<string, Passage>(legs.map(({ payment }) => [payment.payer, { ins: [], outs: [] }]));
  for (const leg of legs) {
    passages.get(leg.payment.payer)?.outs.push(leg);
    passages.get(leg.payment.payee)?.ins.push(leg);
  }
  return [...passages].filter(([, { ins }]) => ins.length > 0);
}

/**
 * An unlabelled address passes a payment through if it is paid first, and in another coin. Otherwise it is one of several inputs, or the
 * user, and pays from its own money.
 */
function exchanges({ ins, outs }: Passage): boolean {
  const last = Math.max(...ins.map(({ index }) => index));
  return changesCoin({ ins, outs }) && outs.every(({ index }) => index > last);
}

/** What a user has back in the same coin is change, or his own from before. */
function changesCoin({ ins, outs }: Passage): boolean {
  const coins = new Set(ins.map(({ payment }) => payment.movement.coin));
  return outs.every(({ payment }) => !coins.has(payment.movement.coin));
}

/** Many users may swap in one transaction: each with itself where that fits, then neighbours by position, then all together. */
function groupsOf(passage: Passage, service: boolean): Passage[] {
  const own = [...new Set(passage.outs.map(({ payment }) => payment.payee))]
    .map((user) => ({
      ins: passage.ins.filter(({ payment }) => payment.payer === user),
      outs: passage.outs.filter(({ payment }) => payment.payee === user),
    }))
    .filter((group) => changesCoin(group) && fits(group, false));
  const others = beside(own, passage);
  if (others.outs.length === 0 || fits(others, service)) return [...own, ...joined(others, service)];
  // What was paid for somebody else may hide behind a coin without a price.
  const certain = own.filter(({ ins, outs }) => isValued([...ins, ...outs]));
  return [...certain, ...joined(beside(certain, passage), service)];
}

function beside(groups: readonly Passage[], { ins, outs }: Passage): Passage {
  const used = new Set(groups.flatMap((group) => [...group.ins, ...group.outs]));
  return { ins: ins.filter((leg) => !used.has(leg)), outs: outs.filter((leg) => !used.has(leg)) };
}

function joined(passage: Passage, service: boolean): Passage[] {
  const runs = runsOf(passage);
  if (runs.length > 0 && runs.every((run) => fits(run, false))) return runs;
  if (fits(passage, service)) return [passage];
  return service ? toStrangers(passage) : [];
}

/** More than came is paid out of what somebody had there before: who pays in as well may draw his own. */
function toStrangers({ ins, outs }: Passage): Passage[] {
  const payers = new Set(ins.map(({ payment }) => payment.payer));
  const strangers = outs.filter(({ payment }) => !payers.has(payment.payee));
  return ins.length > 0 && strangers.length > 0 ? [{ ins, outs: strangers }] : [];
}

function isValued(legs: readonly Leg[]): boolean {
  return legs.every(({ payment }) => payment.movement.usd !== null);
}

/** A leg without a price may be worth anything. */
function fits({ ins, outs }: Passage, service: boolean): boolean {
  if (ins.length === 0 || outs.length === 0 || paysMore({ ins, outs })) return false;
  return service || !isValued([...ins, ...outs]) || sumOf(outs) >= leastOut * sumOf(ins);
}

function paysMore({ ins, outs }: Passage): boolean {
  return isValued(ins) && valuedUsd(outs) > mostOut * sumOf(ins);
}

function valuedUsd(legs: readonly Leg[]): number {
  return sumOf(legs.filter((leg) => isValued([leg])));
}

/** In the order of positions: payments in, then payments out, and again. */
function runsOf({ ins, outs }: Passage): Passage[] {
  const legs = [...ins.map((leg) => ({ leg, out: false })), ...outs.map((leg) => ({ leg, out: true }))].toSorted(
    (a, b) => a.leg.payment.place - b.leg.payment.place || Number(a.out) - Number(b.out),
  );
  const runs: Passage[] = [];
  let run: Passage = { ins: [], outs: [] };
  for (const { leg, out } of legs) {
    if (!out && (runs.length === 0 || run.outs.length > 0)) runs.push((run = { ins: [], outs: [] }));
    (out ? run.outs : run.ins).push(leg);
  }
  return runs.reduce((sum, { outs: paid }) => sum + paid.length, 0) === outs.length ? runs : [];
}

function sumOf(legs: readonly Leg[]): number {
  return legs.reduce((sum, { payment }) => sum + payment.usd, 0);
}
