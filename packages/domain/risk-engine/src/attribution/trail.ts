import { compare } from '../combine.ts';
import { isService, riskLabel } from '../labels.ts';
import type { Label } from '../store.ts';
import type { Limits } from '../weights.ts';
import type { Spread } from './spread.ts';

/** `mass`: share of the subject's side at this address and hop; `via`: the stops that passed it on. */
export interface Stop {
  readonly address: string;
  readonly mass: number;
  readonly via: readonly { readonly stop: Stop; readonly mass: number }[];
}

/** A share that ends at a risk label; `via` is the stop before it. */
export interface Arrival {
  readonly label: Label;
  readonly hop: number;
  readonly mass: number;
  readonly via: Stop;
}

/**
 * One side, followed to `hop`. The masses of `arrivals` and `frontier`, `services`, `ends` and `bound` are shares of it
 * and add up to one.
 */
export interface Trail {
  readonly subject: string;
  readonly hop: number;
  /** The next hop, in an order independent of the store's. */
  readonly frontier: readonly Stop[];
  readonly arrivals: readonly Arrival[];
  /** Ended at services. */
  readonly services: number;
  /** Ended without flows on that side, or at the subject. */
  readonly ends: number;
  /** The part of `ends` at the subject. */
  readonly returned: number;
  /** Not followed. No true share exceeds the found one by more. */
  readonly bound: number;
  /** Addresses expanded, counted at each hop. */
  readonly expanded: number;
}

const none = { hop: 0, frontier: [], arrivals: [], services: 0, ends: 0, returned: 0, bound: 0, expanded: 0 } as const;

export function startTrail(subject: string): Trail {
  return { ...none, subject, frontier: [{ address: subject, mass: 1, via: [] }] };
}

/** A service's flows are its customers'. */
export function serviceTrail(subject: string): Trail {
  return { ...none, subject, services: 1 };
}

/**
 * One hop by haircut: each stop passes its mass on by share. Risk labels and services absorb it. Stops at one address merge.
 * Mass that returns to the subject ends, or it would count twice. Mass not followed, or left at the last hop, is `bound`.
 */
export function advance(
  trail: Trail,
  spreads: ReadonlyMap<string, Spread>,
  labels: ReadonlyMap<string, readonly Label[]>,
  limits: Limits,
): Trail {
  const hop = trail.hop + 1;
  const met = new Map<string, { mass: number; via: { stop: Stop; mass: number }[] }>();
  const arrivals = [...trail.arrivals];
  let { services, ends, returned, bound } = trail;
  for (const stop of trail.frontier) {
    const spread = spreads.get(stop.address);
    if (spread === undefined) {
      ends += stop.mass;
      continue;
    }
    bound += stop.mass * spread.leftOut;
    for (const { address, share } of spread.parties) {
      const mass = stop.mass * share;
      if (mass === 0) continue;
      const known = labels.get(address) ?? [];
      const risk = riskLabel(known);
      if (address === trail.subject) {
        ends += mass;
        returned += mass;
      } else if (risk !== undefined) arrivals.push({ label: risk, hop, mass, via: stop });
      else if (isService(known)) services += mass;
      else {
        const before = met.get(address) ?? { mass: 0, via: [] };
        before.mass += mass;
        before.via.push({ stop, mass });
        met.set(address, before);
      }
    }
  }
  const { frontier, left } = choose(
    [...met].map(([address, { mass, via }]) => ({ address, mass, via })),
    bound,
    hop < limits.hops ? limits : { ...limits, epsilon: Infinity },
  );
  bound += left;
  const expanded = trail.expanded + trail.frontier.length;
  return { subject: trail.subject, hop, frontier, arrivals, services, ends, returned, bound, expanded };
}

/**
 * Follows addresses with at least epsilon. If too much would stay unfollowed, follows the largest others too, up to 1 / epsilon
 * addresses, or a thief could hide behind a thousand small payments.
 */
function choose(stops: readonly Stop[], bound: number, limits: Limits): { frontier: Stop[]; left: number } {
  const frontier = stops.filter(({ mass }) => mass >= limits.epsilon);
  const small = stops.filter(({ mass }) => mass < limits.epsilon).sort((a, b) => b.mass - a.mass || compare(a.address, b.address));
  let left = small.reduce((sum, { mass }) => sum + mass, 0);
  for (const stop of small) {
    if (bound + left <= limits.unfollowed || frontier.length >= 1 / limits.epsilon) break;
    frontier.push(stop);
    left -= stop.mass;
  }
  return { frontier, left: frontier.length === stops.length ? 0 : Math.max(left, 0) };
}
