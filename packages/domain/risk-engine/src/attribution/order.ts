import { compare } from '../combine.ts';
import type { Movement } from '../store.ts';
import { componentsOf } from './components.ts';

type IsService = (address: string) => boolean;

/**
 * By time. Inside one time, an address is paid before it pays. Addresses that pay each other in a cycle are ordered by transaction:
 * payments to services, then the others, then payments by services, each by position. An exchange contract may pay before it is paid.
 */
export function inTimeOrder<Each extends Movement>(movements: readonly Each[], isService: IsService = () => false): Each[] {
  const sorted = movements.toSorted((a, b) => a.at - b.at);
  const ordered: Each[] = [];
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end]?.at === sorted[start]?.at) end++;
    ordered.push(...simultaneous(sorted.slice(start, end), isService));
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
  if (movements.length === 1) return movements;
  const components = componentsOf(movements.map(({ from, to }) => [from, to] as const));
  const first = new Map<string, number>();
  for (const { tx, position } of movements) first.set(tx, Math.min(first.get(tx) ?? Infinity, position));
  return movements
    .map((movement) => ({
      movement,
      component: components.get(movement.from) ?? 0,
      firstPosition: first.get(movement.tx) ?? 0,
      phase: Number(isService(movement.from)) - Number(isService(movement.to)),
    }))
    .toSorted(byPlace)
    .map(({ movement }) => movement);
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
