import data from './weights.json' with { type: 'json' };

export const riskTypes = ['sanctioned_entity', 'illicit_activity', 'mixer', 'gambling', 'risk_exchange', 'bridge'] as const;
export type RiskType = (typeof riskTypes)[number];

/** What a category of label weighs; the reasons stand beside the numbers in `weights.json`. */
export interface Weight {
  /** Absent: an ordinary category, which is no exposure. */
  readonly risk_type?: RiskType;
  readonly own: number;
  readonly exposure: number;
  readonly details: readonly string[];
  /** The description of having dealt with it; empty when that is not worth a word. */
  readonly interact: string;
  /** Its customers' exposures are not its own, so its counterparties are not looked at. */
  readonly service?: boolean;
  /** No counterparty at all. */
  readonly token?: boolean;
  readonly reason: string;
}

const categories = data.categories as unknown as Readonly<Record<string, Weight>>;
const aliases = data.aliases as Readonly<Record<string, string>>;
const ordinary = categories['ordinary'] as Weight;

/** The categories that have a weight of their own; every other name is an alias of one of them, or not known. */
export const categoryNames: readonly string[] = Object.keys(categories);

/** The same, and their aliases. */
export const knownCategories: readonly string[] = [...categoryNames, ...Object.keys(aliases)];

export function isKnownCategory(category: string): boolean {
  return knownCategories.includes(category.toLowerCase());
}

/** The name of `weights.json` that a category goes by; `ordinary` for what is not known. */
export function canonicalCategory(category: string): string {
  const key = category.toLowerCase();
  const name = Object.hasOwn(aliases, key) ? (aliases[key] as string) : key;
  return Object.hasOwn(categories, name) ? name : 'ordinary';
}

export function weightOf(category: string): Weight {
  return categories[canonicalCategory(category)] ?? ordinary;
}

/** The categories and aliases that say that an address is on a sanctions list. */
export const sanctionCategories: readonly string[] = knownCategories.filter((name) => weightOf(name).risk_type === 'sanctioned_entity');

export function isSuspicion(confidence: number): boolean {
  return confidence < data.suspected_below;
}

/** What is left of a weight, given how sure the label is. */
export function confidenceFactor(confidence: number): number {
  return isSuspicion(confidence) ? data.suspected_factor : 1;
}

/** How much of a category's weight an exposure of that share (0 to 1) of the volume brings: 0 for 0, 1 for 1, rising throughout. */
export function saturate(share: number): number {
  return 1 - (1 - Math.min(Math.max(share, 0), 1)) ** data.saturation;
}

/** How far money is followed. */
export interface Limits {
  /** An address is looked at while at least this share of the side stands at it. */
  readonly epsilon: number;
  /** While more of the side than this would not be followed, smaller shares are, up to 1 / epsilon addresses a hop. */
  readonly unfollowed: number;
  /** The last hop that is looked at. */
  readonly hops: number;
}

export const limits: Limits = { epsilon: data.epsilon, unfollowed: data.unfollowed, hops: data.hop_weights.length };

/** What counts of a share at that hop: 1 for direct dealings, less for every further hop, 0 beyond the last. */
export function hopWeight(hop: number): number {
  return data.hop_weights[hop - 1] ?? 0;
}

/** Indirect shares of the volume below this bring no description. */
export const indirectDetailFrom: number = data.indirect_detail_from;
