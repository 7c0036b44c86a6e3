import { compare, type Finding } from './combine.ts';
import type { Label } from './store.ts';
import { type Contradiction, isContested, weighLabels } from './weigh-labels.ts';
import { canonicalCategory, confidenceFactor, contestedStrength, isServiceCategory, isSuspicion, weightOf } from './weights.ts';

/** How far the label alone moves its own address's score, 0 to 1. */
export function ownStrength({ category, confidence }: Label): number {
  return weightOf(category).own * confidenceFactor(confidence);
}

/** Ties by confidence and name, so that the order is stable. */
export function worstFirst(labels: readonly Label[]): Label[] {
  return labels.toSorted(
    (a, b) =>
      ownStrength(b) - ownStrength(a) ||
      Number(weightOf(b.category).risk_type !== undefined) - Number(weightOf(a.category).risk_type !== undefined) ||
      b.confidence - a.confidence ||
      compare(a.name, b.name) ||
      compare(a.category, b.category) ||
      compare(a.source, b.source),
  );
}

/** The label under which others' exposure counts. */
export function riskLabel(labels: readonly Label[]): Label | undefined {
  return worstFirst(labels).find((label) => weightOf(label.category).risk_type !== undefined);
}

/** One per category, of its surest label: two lists with one claim are one finding. A contested address is reviewed at least. */
export function ownFindings(labels: readonly Label[], contested: boolean): Finding[] {
  const byCategory = new Map<string, number>();
  for (const label of labels) {
    const category = canonicalCategory(label.category);
    byCategory.set(category, Math.max(ownStrength(label), byCategory.get(category) ?? 0));
  }
  const found = [...byCategory].map(([category, strength]) => ({ key: `own:${category}`, strength }));
  const isReviewed = found.some(({ strength }) => strength >= contestedStrength);
  return contested && !isReviewed ? [...found, { key: 'own:contested', strength: contestedStrength }] : found;
}

export function ownDetails(labels: readonly Label[], contradictions: readonly Contradiction[]): string[] {
  const contested = contradictions.some(isContested) ? ['Suspected Malicious Address'] : [];
  const details = labels.flatMap(({ category, confidence, via }) => {
    const { details: own } = weightOf(category);
    if (!isSuspicion(confidence)) return own;
    // An authority that listed one address did not list those that signed with it.
    const certain = via === undefined ? ['Malicious Address'] : ['Malicious Address', 'Sanctioned Entity'];
    return own.map((detail) => (certain.includes(detail) ? 'Suspected Malicious Address' : detail));
  });
  return [...details, ...contested];
}

/** A suspected service is traced through: one unsure tag must not clear a thief. */
export function isService(labels: readonly Label[]): boolean {
  return labels.some(({ category, confidence }) => isServiceCategory(category) && !isSuspicion(confidence));
}

/** Likewise for tokens; a risk label rules a token out. */
export function isToken(labels: readonly Label[]): boolean {
  const token = labels.some(({ category, confidence }) => weightOf(category).token === true && !isSuspicion(confidence));
  return token && riskLabel(labels) === undefined;
}

export function isTheft(label: Label): boolean {
  return canonicalCategory(label.category) === 'theft';
}

/** Those that count, worst first. */
export function countedLabels(labels: readonly Label[]): Label[] {
  return worstFirst(weighLabels(labels).labels);
}
