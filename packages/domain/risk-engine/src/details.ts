import { compare } from './combine.ts';
import type { Exposure } from './result.ts';
import { indirectDetailFrom, sideWeights, weightOf } from './weights.ts';

/** Always for direct contact; for traced money from a part of its side on, or from the value on that counts at any part. */
export function interactDetails(exposures: readonly Exposure[]): string[] {
  const traced = new Map<string, { side_percent: number; volume: number }>();
  const details = new Set<string>();
  for (const exposure of exposures) {
    const detail = interactDetail(exposure);
    if (detail === '') continue;
    if (exposure.exposure_type === 'direct') details.add(detail);
    else {
      const key = `${exposure.side} ${detail}`;
      const sum = traced.get(key) ?? { side_percent: 0, volume: 0 };
      traced.set(key, { side_percent: sum.side_percent + exposure.side_percent, volume: sum.volume + exposure.volume });
    }
  }
  for (const [key, sum] of traced) if (isLarge(sum)) details.add(key.slice(key.indexOf(' ') + 1));
  return [...details];
}

/** The largest part of a side, direct before indirect; empty without a theft. Small traces do not count. */
export function theftOf(exposures: readonly Exposure[]): string {
  const thefts = exposures
    .filter(({ category }) => category === 'theft')
    .toSorted((a, b) => b.side_percent - a.side_percent || b.volume - a.volume || compare(a.entity, b.entity));
  const direct = thefts.find(({ exposure_type }) => exposure_type === 'direct');
  return (direct ?? thefts.find(isLarge))?.entity ?? '';
}

function isLarge({ side_percent, volume }: { readonly side_percent: number; readonly volume: number }): boolean {
  return side_percent >= 100 * indirectDetailFrom || volume >= sideWeights.high_usd;
}

function interactDetail({ category, suspected }: Exposure): string {
  const { interact } = weightOf(category);
  return suspected && interact === 'Interact With Malicious Address' ? 'Interact With Suspected Malicious Address' : interact;
}
