import { compare } from '../combine.ts';
import { isService, isToken, riskLabel } from '../labels.ts';
import type { Label } from '../store.ts';
import { canonicalCategory, confidenceFactor, isSuspicion, sideWeights, weightOf } from '../weights.ts';
import { type Tags, tagsFor } from './taint.ts';

/** A kind of source. */
export interface SourceKind {
  readonly category: string;
  readonly suspected: boolean;
  /** Of an exposure to it, 0 to 1. */
  readonly weight: number;
}

/** `suspected`: by a suspicion alone, so that it also carries what it received. */
export type Standing =
  | { readonly kind: 'source'; readonly label: Label; readonly suspected: boolean }
  | { readonly kind: 'service' | 'token' | 'other' };

/** A bridge is a service: its customers' money is not of its making. */
export function standingOf(labels: readonly Label[]): Standing {
  if (isToken(labels)) return { kind: 'token' };
  const label = riskLabel(labels);
  if (label !== undefined && !isBridge(label)) {
    return { kind: 'source', label, suspected: isSuspicion(label.confidence) && !isService(labels) };
  }
  return { kind: isService(labels) ? 'service' : 'other' };
}

/** The label of a bridge, where the trail continues on another chain. */
export function bridgeLabel(labels: readonly Label[]): Label | undefined {
  const label = riskLabel(labels);
  return label !== undefined && isBridge(label) ? label : undefined;
}

function isBridge({ category }: Label): boolean {
  return canonicalCategory(category) === 'bridge';
}

/**
 * Whether a transaction with it may pay out what another paid in. Lists call contracts that swap exchanges, too. Without contracts an
 * exchange's withdrawal is no part of a deposit.
 */
export function maySwap(labels: readonly Label[], hasContracts: boolean): boolean {
  if (standingOf(labels).kind !== 'service') return false;
  return hasContracts || !labels.some(({ category }) => canonicalCategory(category) === 'exchange');
}

/** One entity with all its addresses. */
export interface Source extends SourceKind {
  /** Empty: all others of the kind. */
  readonly entity: string;
  /** Whose claims its labels are. */
  readonly claimants: readonly string[];
}

/** A source's label, and what it is known to have paid. */
export interface Sighting {
  readonly label: Label;
  readonly usd: number;
}

export interface Sources {
  readonly all: readonly Source[];
  readonly tags: Tags;
  tagOf(label: Label): number;
}

/** A score keeps sums for each whose money it meets. More would cost memory, and be read by nobody. */
const mostEntities = 64;

/** The largest entities by name, the others by kind. Does not depend on the order of the sightings. */
export function sourcesOf(sightings: Iterable<Sighting>): Sources {
  const entities = new Map<string, { usd: number; readonly labels: Set<Label> }>();
  for (const { label, usd } of sightings) {
    const key = keyOf(label, label.name);
    const entity = entities.get(key) ?? { usd: 0, labels: new Set<Label>() };
    entity.usd += usd;
    entity.labels.add(label);
    entities.set(key, entity);
  }
  const largest = [...entities].toSorted(([a, one], [b, other]) => other.usd - one.usd || compare(a, b)).slice(0, mostEntities);
  const named = new Map(largest.map(([key, { labels }]) => [key, sourceOf([...labels], key.slice(key.indexOf('\n') + 1))]));
  const others = Map.groupBy(
    [...entities].filter(([key]) => !named.has(key)).flatMap(([, { labels }]) => [...labels]),
    (label) => keyOf(label, ''),
  );
  const sources = new Map([...named, ...[...others].map(([key, labels]) => [key, sourceOf(labels, '')] as const)]);
  const keys = [...sources.keys()].toSorted(compare);
  const tags = new Map(keys.map((key, tag) => [key, tag]));
  const all = keys.flatMap((key) => sources.get(key) ?? []);
  return {
    all,
    tags: tagsFor(keys.length, (tag) => weightOf(all[tag]?.category ?? '').exposure >= sideWeights.illicit_from),
    tagOf: (label) => tags.get(keyOf(label, label.name)) ?? tags.get(keyOf(label, '')) ?? keys.length,
  };
}

function keyOf({ category, confidence }: Label, entity: string): string {
  return `${canonicalCategory(category)}${isSuspicion(confidence) ? '?' : ''}\n${entity}`;
}

function sourceOf(labels: readonly Label[], entity: string): Source {
  const { category = 'ordinary', confidence = 1 } = labels[0] ?? {};
  return {
    entity,
    category: canonicalCategory(category),
    suspected: isSuspicion(confidence),
    weight: weightOf(category).exposure * confidenceFactor(confidence),
    claimants: [...new Set(labels.map(({ source }) => source))].toSorted(compare),
  };
}
