import { pathTo, type WeighedArrival } from '../attribution/paths.ts';
import type { Traced } from '../attribution/trace.ts';
import { shareOf } from '../flow.ts';
import { type Exposure, roundTo } from '../result.ts';
import type { Flow, Side } from '../store.ts';
import { byEntity, largestFirst, named, percentOf, riskTypeOf, type Touch } from './lines.ts';

/** The rest counts in the score; its paths would make an answer of many megabytes. */
const listed = 200;

export function weighedArrivals(traced: Traced, whole: Flow): WeighedArrival[] {
  const sideOf = (side: Side): WeighedArrival[] => {
    const weight = shareOf(traced[side].total, whole);
    if (weight === 0) return [];
    return traced[side].trail.arrivals.filter(({ hop }) => hop > 1).map((arrival) => ({ ...arrival, weight }));
  };
  return [...sideOf('in'), ...sideOf('out')];
}

export function indirectTouches(arrivals: readonly WeighedArrival[]): Touch[] {
  return arrivals.map(({ label, hop, mass, weight }) => ({ label, hop, share: mass * weight }));
}

/** One line per entity: its share over all hops, with the nearest path. Omits shares that round to zero. */
export function indirectExposures(arrivals: readonly WeighedArrival[], whole: Flow): Exposure[] {
  const groups = byEntity(arrivals).map((group) => ({ group, exposure: exposureOf(group, whole) }));
  const groupOf = new Map(groups.map(({ group, exposure }) => [exposure, group]));
  const largest = largestFirst(groups.map(({ exposure }) => exposure).filter(({ percent }) => percent > 0)).slice(0, listed);
  return largest.map((exposure) => ({
    ...exposure,
    hop_dic: pathTo(
      exposure.entity,
      (groupOf.get(exposure) ?? []).filter(({ hop }) => hop === exposure.hop_num),
    ),
  }));
}

function exposureOf(group: readonly [WeighedArrival, ...WeighedArrival[]], whole: Flow): Exposure {
  const share = group.reduce((sum, { mass, weight }) => sum + mass * weight, 0);
  return {
    entity: group[0].label.name,
    risk_type: riskTypeOf(group[0].label),
    exposure_type: 'indirect',
    hop_num: group.reduce((least, { hop }) => Math.min(least, hop), Infinity),
    volume: roundTo(share * whole.usd, 2),
    percent: percentOf(share),
    sources: named(group.map(({ label }) => label.source)),
  };
}
