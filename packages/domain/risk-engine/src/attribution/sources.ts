import { compare } from '../combine.ts';
import { isService, isToken, riskLabel } from '../labels.ts';
import type { Label } from '../store.ts';
import { canonicalCategory, confidenceFactor, isSuspicion, weightOf } from '../weights.ts';
import { type Tags, tagsFor } from './taint.ts';

/** A kind of source. */
export interface SourceKind {
  readonly category: string;
  readonly suspected: boolean;
  /** Of an exposure to it, 0 to 1. */
  readonly weight: number;
}

export type Standing = { readonly kind: 'source'; readonly label: Label } | { readonly kind: 'service' | 'token' | 'other' };

/** A bridge is a service: its customers' money is not of its making. */
export function standingOf(labels: readonly Label[]): Standing {
  if (isToken(labels)) return { kind: 'token' };
  const label = riskLabel(labels);
  if (label !== undefined && canonicalCategory(label.category) !== 'bridge') return { kind: 'source', label };
  return { kind: isService(labels) ? 'service' : 'other' };
}

/** Whether a transaction with it may pay out what another paid in. A withdrawal from an exchange is no part of a deposit. */
export function maySwap(labels: readonly Label[]): boolean {
  return standingOf(labels).kind === 'service' && !labels.some(({ category }) => canonicalCategory(category) === 'exchange');
}

export interface SourceKinds {
  readonly kinds: readonly SourceKind[];
  readonly tags: Tags;
  tagOf(label: Label): number;
}

/** The kinds of the given labels, in an order that does not depend on theirs. */
export function sourceKinds(labels: Iterable<Label>): SourceKinds {
  const byKey = new Map<string, SourceKind>();
  for (const label of labels) byKey.set(keyOf(label), kindOf(label));
  const keys = [...byKey.keys()].toSorted(compare);
  const tagByKey = new Map(keys.map((key, tag) => [key, tag]));
  return {
    kinds: keys.flatMap((key) => byKey.get(key) ?? []),
    tags: tagsFor(keys.length),
    tagOf: (label) => tagByKey.get(keyOf(label)) ?? keys.length,
  };
}

function keyOf({ category, confidence }: Label): string {
  return `${canonicalCategory(category)}${isSuspicion(confidence) ? '?' : ''}`;
}

function kindOf({ category, confidence }: Label): SourceKind {
  return {
    category: canonicalCategory(category),
    suspected: isSuspicion(confidence),
    weight: weightOf(category).exposure * confidenceFactor(confidence),
  };
}
