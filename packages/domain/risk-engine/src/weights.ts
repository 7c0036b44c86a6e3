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

export const sanctionCategories: readonly string[] = knownCategories.filter((name) => weightOf(name).risk_type === 'sanctioned_entity');

export function isSuspicion(confidence: number): boolean {
  return confidence < data.suspected_below;
}

export function confidenceFactor(confidence: number): number {
  return isSuspicion(confidence) ? data.suspected_factor : 1;
}

/** The part of a weight for a share (0 to 1) of the volume: 0 for 0, 1 for 1, rising throughout. */
export function saturate(share: number): number {
  return 1 - (1 - Math.min(Math.max(share, 0), 1)) ** data.saturation;
}

export interface Limits {
  /** An address with at least this share of the side is expanded. */
  readonly epsilon: number;
  /** If more stays unfollowed, smaller shares are expanded too, up to 1 / epsilon addresses per hop. */
  readonly unfollowed: number;
  /** The last hop. */
  readonly hops: number;
}

export const limits: Limits = { epsilon: data.epsilon, unfollowed: data.unfollowed, hops: data.hop_weights.length };

/** 1 for direct flows, less for each further hop, 0 beyond the last. */
export function hopWeight(hop: number): number {
  return data.hop_weights[hop - 1] ?? 0;
}

/** Indirect shares below this bring no description. */
export const indirectDetailFrom: number = data.indirect_detail_from;

/** How attribution follows money; `weights.json` gives the reason for each number. */
export const attribution: Readonly<Omit<typeof data.attribution, `${string}_reason`>> = data.attribution;

/** How the score of a side follows from its shares and sums. */
export const sideWeights: Readonly<Omit<typeof data.sides, `${string}_reason`>> = data.sides;
