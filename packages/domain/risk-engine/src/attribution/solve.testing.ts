import type { Movement, Side } from '../store.ts';
import { attribution, sideWeights } from '../weights.ts';
import type { Rule } from './holding.ts';
import { withoutLoans } from './loans.ts';
import { inTimeOrder } from './order.ts';
import { type Payment, paymentsOf } from './payment.ts';
import { type Carried, isApart, type Role, solverOf } from './solve.ts';
import { tagsFor, usdOf } from './taint.ts';

/** One kind of source. Everything is read. */
export interface Roles {
  readonly sources?: readonly string[];
  readonly services?: readonly string[];
  readonly unread?: readonly string[];
}

const oneTag = tagsFor(1);

export function solved(
  movements: readonly Movement[],
  roles: Roles = {},
  side: Side = 'in',
  rule: Rule = 'haircut',
): { payments: Payment[]; carried: Carried[] } {
  const roleOf = rolesOf(movements, roles);
  const ordered = inTimeOrder(movements, (address) => roles.services?.includes(address) ?? false);
  const payments = [...withoutLoans(paymentsOf(ordered, side), (address) => isApart(roleOf(address)))];
  return { payments, carried: solverOf(payments, roleOf, oneTag)(rule) };
}

function rolesOf(movements: readonly Movement[], { sources = [], services = [], unread = [] }: Roles): (address: string) => Role {
  const peers = new Map<string, readonly [payers: Set<string>, payees: Set<string>]>();
  const peersOf = (address: string): readonly [Set<string>, Set<string>] => {
    const known = peers.get(address) ?? [new Set<string>(), new Set<string>()];
    peers.set(address, known);
    return known;
  };
  for (const { from, to } of movements) {
    peersOf(to)[0].add(from);
    peersOf(from)[1].add(to);
  }
  return (address) => {
    if (sources.includes(address)) return { kind: 'source', tag: 0 };
    if (services.includes(address)) return { kind: 'service' };
    if (unread.includes(address)) return { kind: 'unread' };
    const probableService = peersOf(address).every(({ size }) => size >= attribution.probable_service_peers);
    const business = peersOf(address).every(({ size }) => size >= sideWeights.service_peers);
    return { kind: 'wallet', probableService, business, readUntil: Infinity, unreadShare: 0 };
  };
}

/** Of all payments to the address, as shares of their value. */
export function sharesAt(address: string, { payments, carried }: ReturnType<typeof solved>) {
  const sums = { usd: 0, mass: 0, weighted: 0, counted: 0, returned: 0, unread: 0 };
  payments.forEach(({ payee, usd }, index) => {
    const one = carried[index];
    if (payee !== address || one === undefined) return;
    sums.usd += usd;
    sums.returned += one.returned;
    for (const field of ['mass', 'weighted', 'counted'] as const) sums[field] += usdOf(one.taint, field, 0);
    sums.unread += usdOf(one.taint, 'mass', oneTag.unread);
  });
  const { usd, ...parts } = sums;
  return Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, usd > 0 ? value / usd : 0])) as Record<
    keyof typeof parts,
    number
  >;
}
