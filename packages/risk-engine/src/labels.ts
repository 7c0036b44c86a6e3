import { compare, type Finding } from './combine.ts';
import type { Label } from './store.ts';
import { canonicalCategory, confidenceFactor, isSuspicion, weightOf } from './weights.ts';

/** Worst first: by what the label weighs on its own address, then by confidence and name, so that the order is always the same. */
export function worstFirst(labels: readonly Label[]): Label[] {
  const strength = (label: Label): number => weightOf(label.category).own * confidenceFactor(label.confidence);
  return labels.toSorted(
    (a, b) =>
      strength(b) - strength(a) ||
      Number(weightOf(b.category).risk_type !== undefined) - Number(weightOf(a.category).risk_type !== undefined) ||
      b.confidence - a.confidence ||
      compare(a.name, b.name) ||
      compare(a.category, b.category),
  );
}

/** The label that an address counts as when others deal with it; undefined when none is a risk. */
export function riskLabel(labels: readonly Label[]): Label | undefined {
  return worstFirst(labels).find((label) => weightOf(label.category).risk_type !== undefined);
}

/** One finding for each category, of its surest label: two lists that say the same are not two faults. */
export function ownFindings(labels: readonly Label[]): Finding[] {
  const byCategory = new Map<string, number>();
  for (const label of labels) {
    const category = canonicalCategory(label.category);
    const strength = weightOf(category).own * confidenceFactor(label.confidence);
    byCategory.set(category, Math.max(strength, byCategory.get(category) ?? 0));
  }
  return [...byCategory].map(([category, strength]) => ({ key: `own:${category}`, strength }));
}

export function ownDetails(labels: readonly Label[]): string[] {
  return labels.flatMap((label) => {
    const { details } = weightOf(label.category);
    if (!isSuspicion(label.confidence)) return details;
    return details.map((detail) => (detail === 'Malicious Address' ? 'Suspected Malicious Address' : detail));
  });
}

export function isService(labels: readonly Label[]): boolean {
  return labels.some((label) => weightOf(label.category).service === true);
}

export function isToken(labels: readonly Label[]): boolean {
  return labels.some((label) => weightOf(label.category).token === true);
}

export function isTheft(label: Label): boolean {
  return canonicalCategory(label.category) === 'theft';
}
