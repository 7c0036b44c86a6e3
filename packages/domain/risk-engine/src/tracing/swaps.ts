import { linksOf } from '../attribution/links.ts';
import { paymentsOf } from '../attribution/payment.ts';
import type { Role } from '../attribution/solve.ts';
import type { Movement } from '../store.ts';
import type { TracedPayment } from './ledger.ts';

/** `usd` is its value in the unit of the trace. */
export type ValuedMovement = Movement & { readonly usd: number; readonly known_usd: number | null };

/** In USD, or in a coin as far as it is paid in that. Undefined: of no known value. */
export function valued(movement: Movement, coin: string | undefined): ValuedMovement | undefined {
  const amount = coin === movement.coin ? Number(movement.amount ?? 0) : 0;
  const value = coin === undefined ? (movement.usd ?? 0) : amount;
  return value > 0 ? { ...movement, usd: value, known_usd: movement.usd } : undefined;
}

/** A transfer, or a part of one. Its ends may be the passage of a swap instead of the service. */
export interface Leg extends TracedPayment {
  readonly movement: ValuedMovement;
}

const mark = '\n';

/** In one transaction from who pays a service to whom it pays for that. */
export function isPassage(address: string): boolean {
  return address.startsWith(mark);
}

/** The service of a passage, or the address itself. */
export function ownerOf(address: string): string {
  return isPassage(address) ? (address.split(mark)[1] ?? '') : address;
}

/**
 * Leads money through a swap, a router or an aggregator: what one transaction pays in, it pays out, as far as the values fit. The rest stays with
 * the service. Without passages from the subject to itself: it spends what it got again, which would count twice. `ordered`: by `inTimeOrder`.
 */
export function joinSwaps(ordered: readonly ValuedMovement[], subject: string, isService: (address: string) => boolean): Leg[] {
  const roleOf = (address: string): Role => {
    // A source is no passage.
    if (address === subject) return { kind: 'source', tag: 0 };
    return { kind: isService(address) ? 'service' : 'unread' };
  };
  const { paidBy, paidShare, passed } = linksOf(paymentsOf(ordered, 'in'), roleOf);
  const names = new Map<readonly number[], string>();
  const passageOf = new Map<number, string>();
  for (const [out, ins] of paidBy) {
    const name = names.get(ins) ?? `${mark}${ordered[out]?.from ?? ''}${mark}${names.size}`;
    names.set(ins, name);
    for (const index of ins) passageOf.set(index, name);
  }
  const legs = ordered.flatMap((movement, index) => {
    const ins = paidBy.get(index);
    const before = (ins && names.get(ins)) ?? movement.from;
    const after = passageOf.get(index) ?? movement.to;
    const [paid, through] = [paidShare.get(index) ?? 1, after === movement.to ? 1 : (passed.get(index) ?? 0)];
    const parts = [
      { from: before, to: after, value: movement.usd * Math.min(paid, through) },
      { from: before, to: movement.to, value: movement.usd * Math.max(paid - through, 0) },
      { from: movement.from, to: after, value: movement.usd * Math.max(through - paid, 0) },
      { from: movement.from, to: movement.to, value: movement.usd * (1 - Math.max(paid, through)) },
    ];
    return parts.filter(({ value }) => value > 0).map((part) => ({ ...part, movement }));
  });
  return withoutOwnSwaps(legs, subject);
}

function withoutOwnSwaps(legs: readonly Leg[], subject: string): Leg[] {
  const others = new Set<string>();
  for (const { from, to } of legs) {
    if (isPassage(to) && from !== subject) others.add(to);
    if (isPassage(from) && to !== subject) others.add(from);
  }
  const isOwn = (address: string): boolean => isPassage(address) && !others.has(address);
  return legs.filter(({ from, to }) => !isOwn(from) && !isOwn(to));
}
