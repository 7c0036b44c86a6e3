import { compare } from '../combine.ts';
import type { Arrival, Stop } from './trail.ts';

/** Addresses shown at one hop: who looks at a path by eye follows the largest few. */
const shownPerHop = 10;

/** An arrival, and what its side weighs in the subject's whole. */
export interface WeighedArrival extends Arrival {
  readonly weight: number;
}

/**
 * The way to an entity as `hop_dic` has it: at "1" the subject's counterparties, at the last hop the entity itself. Only addresses through
 * which something came to it, by how much, largest first. All arrivals must be at the same hop.
 */
export function pathTo(entity: string, arrivals: readonly WeighedArrival[]): Readonly<Record<string, readonly string[]>> {
  const hop = arrivals[0]?.hop ?? 1;
  const path: Record<string, string[]> = { [hop]: [entity] };
  let carried = new Map<Stop, number>();
  for (const { via, mass, weight } of arrivals) add(carried, via, mass * weight);
  for (let at = hop - 1; at >= 1; at--) {
    path[at] = largest(carried);
    carried = before(carried);
  }
  return path;
}

/** What each stop of the hop before brought of it: in proportion to what it handed on. */
function before(carried: ReadonlyMap<Stop, number>): Map<Stop, number> {
  const earlier = new Map<Stop, number>();
  for (const [stop, mass] of carried) {
    for (const source of stop.via) add(earlier, source.stop, mass * (source.mass / stop.mass));
  }
  return earlier;
}

function largest(carried: ReadonlyMap<Stop, number>): string[] {
  const byAddress = new Map<string, number>();
  for (const [{ address }, mass] of carried) add(byAddress, address, mass);
  return [...byAddress]
    .sort(([a, massOfA], [b, massOfB]) => massOfB - massOfA || compare(a, b))
    .slice(0, shownPerHop)
    .map(([address]) => address);
}

function add<Key>(sums: Map<Key, number>, key: Key, mass: number): void {
  sums.set(key, (sums.get(key) ?? 0) + mass);
}
