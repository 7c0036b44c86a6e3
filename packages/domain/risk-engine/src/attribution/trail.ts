import { compare } from '../combine.ts';
import { isService, riskLabel } from '../labels.ts';
import type { Label } from '../store.ts';
import type { Limits } from '../weights.ts';
import type { Spread } from './spread.ts';

/** An address at one hop, with the share of the subject's side that stands at it and where that came by. */
export interface Stop {
  readonly address: string;
  readonly mass: number;
  readonly via: readonly { readonly stop: Stop; readonly mass: number }[];
}

/** The share of the side that the bearer of a risk label took in at that hop; `via` is the stop before it. */
export interface Arrival {
  readonly label: Label;
  readonly hop: number;
  readonly mass: number;
  readonly via: Stop;
}

/**
 * One side of one subject, followed as far as `hop`. Every share is of that side, and nothing is lost or made: the masses of
 * `arrivals` and of `frontier`, `services`, `ends` and `bound` add up to one.
 */
export interface Trail {
  readonly subject: string;
  readonly hop: number;
  /** What is looked at next, in the order in which it was met, which the order of facts does not change. */
  readonly frontier: readonly Stop[];
  readonly arrivals: readonly Arrival[];
  /** Went into services, which are not seen through. */
  readonly services: number;
  /** Stands at addresses without dealings on that side, or came back to the subject. */
  readonly ends: number;
  /** Came back to the subject: a part of `ends`. */
  readonly returned: number;
  /** Was not followed: no true share differs from the one found by more. */
  readonly bound: number;
  /** Addresses whose dealings were looked at, one that is met at several hops each time. */
  readonly expanded: number;
}

const none = { hop: 0, frontier: [], arrivals: [], services: 0, ends: 0, returned: 0, bound: 0, expanded: 0 } as const;

export function startTrail(subject: string): Trail {
  return { ...none, subject, frontier: [{ address: subject, mass: 1, via: [] }] };
}

/** A service keeps what it is given: its customers' dealings are not its own. */
export function serviceTrail(subject: string): Trail {
  return { ...none, subject, services: 1 };
}

/**
 * One hop further, by haircut: each stop hands its mass to its counterparties by their share. Who bears a risk label or is a service takes
 * it in. Mass that meets at an address at one hop goes on as one; what comes back to the subject ends, as going round would count the same
 * money again. What is not followed then, or still there at the last hop, goes into the bound.
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
 * Who is looked at next: whoever holds at least epsilon. Where that would leave most of the side unseen, the largest of the others too: else
 * a thief had but to pay through a thousand and one strangers. Never more than 1 / epsilon of them.
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
