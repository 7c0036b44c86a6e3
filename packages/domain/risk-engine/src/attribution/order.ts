import { compare } from '../combine.ts';
import type { Movement } from '../store.ts';
import { componentsOf } from './components.ts';

type IsService = (address: string) => boolean;

/**
 * By time. Inside one time, an address is paid before it pays. Addresses that pay each other in a cycle are ordered by transaction:
 * payments to services, then the others, then payments by services, each by position. An exchange contract may pay before it is paid: then
 * its payment comes after the one that paid for it.
 */
export function inTimeOrder<Each extends Movement>(movements: readonly Each[], isService: IsService = () => false): Each[] {
  const sorted = movements.toSorted((a, b) => a.at - b.at);
  const ordered: Each[] = [];
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end]?.at === sorted[start]?.at) end++;
    if (end === start + 1) ordered.push(sorted[start] as Each);
    else ordered.push(...simultaneous(sorted.slice(start, end), isService));
  }
  return ordered;
}

interface Placed<Each> {
  readonly movement: Each;
  readonly component: number;
  /** Of its transaction. */
  readonly firstPosition: number;
  readonly phase: number;
}

function simultaneous<Each extends Movement>(movements: readonly Each[], isService: IsService): readonly Each[] {
  const components = componentsOf(movements.map(({ from, to }) => [from, to] as const));
  const first = new Map<string, number>();
  for (const { tx, position } of movements) first.set(tx, Math.min(first.get(tx) ?? Infinity, position));
  const placed = movements
    .map((movement) => ({
      movement,
      component: components.get(movement.from) ?? 0,
      firstPosition: first.get(movement.tx) ?? 0,
      phase: Number(isService(movement.from)) - Number(isService(movement.to)),
    }))
    .toSorted(byPlace);
  return [...Map.groupBy(placed, ({ component, movement }) => `${component} ${movement.tx}`).values()].flatMap(paidFirst);
}

/** Each search looks at the whole rest of the transaction. */
const mostLegs = 200;

/**
 * One transaction in a cycle. Who pays first has own money. Any other who is paid only after he paid, and not by way of his own payment, is an
 * exchange contract.
 */
function paidFirst<Each extends Movement>(legs: readonly Placed<Each>[]): readonly Each[] {
  const movements = legs.map(({ movement }) => movement);
  if (legs.length < 3 || legs.length > mostLegs) return movements;
  const ordered = new Set<number>();
  const waiting = new Set<number>();
  const place = (index: number): void => {
    if (ordered.has(index) || waiting.has(index)) return;
    waiting.add(index);
    if ((legs[index]?.phase ?? 0) >= 0) for (const later of paidAfter(movements, index)) place(later);
    ordered.add(index);
  };
  for (const index of movements.keys()) place(index);
  return [...ordered].flatMap((index) => movements.slice(index, index + 1));
}

/** The payments to its payer that come after it, if none came before, and none is of its own money. */
function paidAfter(legs: readonly Movement[], index: number): number[] {
  const { from: payer, to } = legs[index] as Movement;
  if (payer === legs[0]?.from || legs.slice(0, index).some((leg) => leg.to === payer)) return [];
  const reached = new Set([to]);
  const found: number[] = [];
  for (const [at, leg] of legs.entries()) {
    if (at <= index) continue;
    if (leg.to === payer && reached.has(leg.from)) return [];
    if (leg.to === payer) found.push(at);
    else if (reached.has(leg.from)) reached.add(leg.to);
  }
  return found;
}

function byPlace(a: Placed<Movement>, b: Placed<Movement>): number {
  return (
    a.component - b.component ||
    a.firstPosition - b.firstPosition ||
    compare(a.movement.tx, b.movement.tx) ||
    a.phase - b.phase ||
    a.movement.position - b.movement.position ||
    compare(a.movement.coin, b.movement.coin) ||
    compare(a.movement.from, b.movement.from) ||
    compare(a.movement.to, b.movement.to)
  );
}
