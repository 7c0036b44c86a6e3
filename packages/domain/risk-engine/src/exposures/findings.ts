import { compare, type Finding } from '../combine.ts';
import { interactDetail, isTheft } from '../labels.ts';
import { canonicalCategory, confidenceFactor, hopWeight, indirectDetailFrom, saturate, weightOf } from '../weights.ts';
import type { Touch } from './lines.ts';

/** Shares, reduced for suspicions and hops. */
export interface CategoryShare {
  readonly category: string;
  readonly direct: number;
  readonly indirect: number;
}

/** By category: a hundred gambling sites with 1 % each weigh as much as one with 100 %. */
export function categoryShares(touches: readonly Touch[]): CategoryShare[] {
  const shares = new Map<string, { direct: number; indirect: number }>();
  for (const { label, hop, share } of touches) {
    const category = canonicalCategory(label.category);
    const sums = shares.get(category) ?? { direct: 0, indirect: 0 };
    const counted = share * confidenceFactor(label.confidence) * hopWeight(hop);
    if (hop === 1) sums.direct += counted;
    else sums.indirect += counted;
    shares.set(category, sums);
  }
  return [...shares].map(([category, sums]) => ({ category, ...sums }));
}

/**
 * `exposure:<category>` is w · f(direct); `indirect:<category>` is the rest up to w · f(direct + indirect) for both together.
 * Independent findings would rate half direct, half indirect worse than all direct.
 */
export function exposureFindings(shares: readonly CategoryShare[]): Finding[] {
  return shares.flatMap(({ category, direct, indirect }) => {
    const { exposure } = weightOf(category);
    const near = exposure * saturate(direct);
    const both = exposure * saturate(direct + indirect);
    return [
      { key: `exposure:${category}`, strength: near },
      { key: `indirect:${category}`, strength: near < 1 ? 1 - (1 - both) / (1 - near) : 0 },
    ];
  });
}

/** Always for direct flows, from `indirectDetailFrom` on for indirect ones. */
export function interactDetails(touches: readonly Touch[]): string[] {
  const indirect = new Map<string, number>();
  const details = new Set<string>();
  for (const { label, hop, share } of touches) {
    const detail = interactDetail(label);
    if (detail === '') continue;
    if (hop === 1) details.add(detail);
    else indirect.set(detail, (indirect.get(detail) ?? 0) + share);
  }
  for (const [detail, share] of indirect) if (share >= indirectDetailFrom) details.add(detail);
  return [...details];
}

/** The largest share, direct before indirect; empty without a theft. Small indirect traces do not count. */
export function theftOf(touches: readonly Touch[]): string {
  const thefts = touches.filter(({ label }) => isTheft(label));
  const [direct] = byName(thefts.filter(({ hop }) => hop === 1));
  const [indirect] = byName(thefts.filter(({ hop }) => hop > 1)).filter(({ share }) => share >= indirectDetailFrom);
  return (direct ?? indirect)?.name ?? '';
}

function byName(touches: readonly Touch[]): { name: string; share: number }[] {
  const shares = new Map<string, number>();
  for (const { label, share } of touches) shares.set(label.name, (shares.get(label.name) ?? 0) + share);
  return [...shares].map(([name, share]) => ({ name, share })).toSorted((a, b) => b.share - a.share || compare(a.name, b.name));
}
