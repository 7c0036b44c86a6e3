import type { SourceKind } from './store.ts';
import data from './weights.json' with { type: 'json' };

export const riskTypes = ['sanctioned_entity', 'illicit_activity', 'mixer', 'gambling', 'risk_exchange', 'bridge'] as const;
export type RiskType = (typeof riskTypes)[number];

/** `weights.json` gives the reason for each number. */
export interface Weight {
  /** Absent: an ordinary category, no exposure. */
  readonly risk_type?: RiskType;
  readonly own: number;
  readonly exposure: number;
  readonly details: readonly string[];
  /** The description for counterparties; may be empty. */
  readonly interact: string;
  /** Counterparties are its customers', so they are not read. */
  readonly service?: boolean;
  /** No counterparty at all. */
  readonly token?: boolean;
  readonly reason: string;
}

const categories = data.categories as unknown as Readonly<Record<string, Weight>>;
const aliases = data.aliases as Readonly<Record<string, string>>;
const ordinary = categories['ordinary'] as Weight;

/** Other names are aliases, or unknown. */
export const categoryNames: readonly string[] = Object.keys(categories);

export const knownCategories: readonly string[] = [...categoryNames, ...Object.keys(aliases)];

export function isKnownCategory(category: string): boolean {
  return knownCategories.includes(category.toLowerCase());
}

/** `ordinary` for an unknown one. */
export function canonicalCategory(category: string): string {
  const key = category.toLowerCase();
  const name = Object.hasOwn(aliases, key) ? (aliases[key] as string) : key;
  return Object.hasOwn(categories, name) ? name : 'ordinary';
}

export function weightOf(category: string): Weight {
  return categories[canonicalCategory(category)] ?? ordinary;
}

/** Of services: their counterparties are customers. */
export function isServiceCategory(category: string): boolean {
  return weightOf(category).service === true;
}

/** Without a service of its own: a mixer is lawful, so its label accuses nobody. */
export function isAccusingCategory(category: string): boolean {
  return weightOf(category).risk_type !== undefined && !isServiceCategory(category);
}

/** Also aliases. */
export const serviceCategories: readonly string[] = knownCategories.filter(isServiceCategory);
/** Also aliases. */
export const accusingCategories: readonly string[] = knownCategories.filter(isAccusingCategory);
export const sanctionCategories: readonly string[] = knownCategories.filter((name) => weightOf(name).risk_type === 'sanctioned_entity');

/** Belief in a label of full confidence, 0 to 1, by the kind of its source. */
export const sourceWeights: Readonly<Record<SourceKind, number>> = data.source_weights;

/** Of a service whose accusation does not count: alone it makes `contested_score`. */
export const contestedStrength: number = (data.contested_score - 3) / 97;

export function isSuspicion(confidence: number): boolean {
  return confidence < data.suspected_below;
}

export function confidenceFactor(confidence: number): number {
  return isSuspicion(confidence) ? data.suspected_factor : 1;
}

/** Indirect shares below this bring no description. */
export const indirectDetailFrom: number = data.indirect_detail_from;

/** How attribution follows money; `weights.json` gives the reason for each number. */
export const attribution: Readonly<Omit<typeof data.attribution, `${string}_reason`>> = data.attribution;

/** How far a trace of money reads. */
export const tracing: Readonly<Omit<typeof data.tracing, `${string}_reason`>> = data.tracing;

/** How the score of a side follows from its shares and sums. */
export const sideWeights: Readonly<Omit<typeof data.sides, `${string}_reason`>> = data.sides;

/** How far labels count for addresses that signed transactions with the labelled one. */
export const clusterWeights: Readonly<Omit<typeof data.clusters, `${string}_reason`>> = data.clusters;
