import { compare } from './combine.ts';
import { type Exposure, roundTo } from './result.ts';
import { type RiskType, weightOf } from './weights.ts';

/** Nobody is forbidden to deal with whom a suspicion alone calls sanctioned: a person looks. */
export function riskTypeOf(category: string, suspected: boolean): RiskType {
  const type = weightOf(category).risk_type ?? 'illicit_activity';
  return suspected && type === 'sanctioned_entity' ? 'illicit_activity' : type;
}

/** A claim that five sources make needs no sixth. */
const namedSources = 5;

export function named(sources: readonly string[]): readonly string[] {
  return [...new Set(sources)].toSorted(compare).slice(0, namedSources);
}

/** `usd`: of known values. A small one does not show as 0, which means unknown. */
export function volumeOf(usd: number): number {
  return usd > 0 ? Math.max(roundTo(usd, 2), 0.01) : 0;
}

export function percentOf(share: number): number {
  return roundTo(Math.min(share, 1) * 100, 4);
}

export function largestFirst(exposures: readonly Exposure[]): Exposure[] {
  return exposures.toSorted(
    (a, b) =>
      b.percent - a.percent ||
      b.side_percent - a.side_percent ||
      b.volume - a.volume ||
      compare(a.side, b.side) ||
      compare(a.exposure_type, b.exposure_type) ||
      a.hop_num - b.hop_num ||
      compare(a.entity, b.entity) ||
      compare(a.category, b.category) ||
      Number(a.suspected) - Number(b.suspected),
  );
}
