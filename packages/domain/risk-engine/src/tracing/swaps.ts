import { linksOf } from '../attribution/links.ts';
import { paymentsOf } from '../attribution/payment.ts';
import type { Role } from '../attribution/solve.ts';
import type { Movement } from '../store.ts';
import type { TracedPayment } from './ledger.ts';

export type ValuedMovement = Movement & { readonly usd: number };

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
  const { paidBy, passed } = linksOf(paymentsOf(ordered, 'in'), roleOf);
  const names = new Map<readonly number[], string>();
  const passageOf = new Map<number, string>();
  for (const [out, ins] of paidBy) {
    const name = names.get(ins) ?? `${mark}${ordered[out]?.from ?? ''}${mark}${names.size}`;
    names.set(ins, name);
    for (const index of ins) passageOf.set(index, name);
  }
  const legs = ordered.flatMap((movement, index) => {
    const ins = paidBy.get(index);
    const from = (ins && names.get(ins)) ?? movement.from;
    const through = passageOf.get(index);
    const usd = through === undefined ? 0 : movement.usd * (passed.get(index) ?? 0);
    return [
      { from, to: through ?? movement.to, usd, movement },
      { from, to: movement.to, usd: movement.usd - usd, movement },
    ].filter((leg) => leg.usd > 0);
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
