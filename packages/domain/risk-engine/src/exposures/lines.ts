import { compare } from '../combine.ts';
import { type Exposure, roundTo } from '../result.ts';
import type { Label } from '../store.ts';
import { type RiskType, weightOf } from '../weights.ts';

/** `share` (0 to 1) of the subject's volume. */
export interface Touch {
  readonly label: Label;
  readonly hop: number;
  readonly share: number;
}

export function riskTypeOf(label: Label): RiskType {
  return weightOf(label.category).risk_type ?? 'illicit_activity';
}

/** By entity and risk type, in order of first occurrence. */
export function byEntity<T extends { readonly label: Label }>(items: readonly T[]): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = `${riskTypeOf(item.label)}\n${item.label.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** A claim that five sources make needs no sixth. */
const namedSources = 5;

export function named(sources: readonly string[]): readonly string[] {
  return [...new Set(sources)].toSorted(compare).slice(0, namedSources);
}

export function largestFirst(exposures: readonly Exposure[]): Exposure[] {
  return exposures.toSorted(
    (a, b) =>
      b.percent - a.percent ||
      compare(a.exposure_type, b.exposure_type) ||
      a.hop_num - b.hop_num ||
      compare(a.entity, b.entity) ||
      compare(a.risk_type, b.risk_type),
  );
}

export function percentOf(share: number): number {
  return roundTo(share * 100, 4);
}
