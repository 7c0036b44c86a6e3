import { compare } from '../combine.ts';
import type { Arrival, Stop } from './trail.ts';

/** Readable by eye. */
const shownPerHop = 10;

/** `weight`: its side's share of the subject's total. */
export interface WeighedArrival extends Arrival {
  readonly weight: number;
}

/**
 * In the shape of `hop_dic`: "1" holds the subject's counterparties, the last hop the entity. Lists addresses that carried
 * value to it, largest first. All arrivals must be at one hop.
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

/** In proportion to the value that each stop passed on. */
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
