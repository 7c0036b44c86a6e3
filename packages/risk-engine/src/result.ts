import type { Contribution, Level } from './combine.ts';
import type { RiskType } from './weights.ts';

/** How much was known: nothing, labels only, transfers only, or both. */
export type Coverage = 'none' | 'labels' | 'transfers' | 'full';

/** One entity the subject dealt with; several addresses of one entity are one. */
export interface Exposure {
  readonly entity: string;
  readonly riskType: RiskType;
  readonly exposureType: 'direct' | 'indirect';
  readonly hopNum: number;
  /** USD, two decimals; 0 when no value is known, while `percent` is then by number of transfers. */
  readonly volume: number;
  /** 0 to 100, four decimals, of the subject's whole volume. */
  readonly percent: number;
  /** Addresses or entities by hop, for a path of more than one. */
  readonly hopDic?: Readonly<Record<string, readonly string[]>>;
}

export interface Assessment {
  readonly score: number;
  readonly level: Level;
  /** The specification's descriptions, worst first. */
  readonly detailList: readonly string[];
  /** Largest first. */
  readonly exposures: readonly Exposure[];
  /** The theft the subject took part in or got funds from; empty when none. */
  readonly hackingEvent: string;
  readonly addressLabel: string;
  /** `base`, then `own:<category>` or `exposure:<category>`; the points add up to the score. */
  readonly contributions: readonly Contribution[];
  readonly coverage: Coverage;
}

/** The answer for what nothing is known of. "Low" means just that here; `coverage` tells it from "nothing bad". */
export const unknown: Assessment = Object.freeze({
  score: 3,
  level: 'Low',
  detailList: [],
  exposures: [],
  hackingEvent: '',
  addressLabel: '',
  contributions: [{ key: 'base', points: 3 }],
  coverage: 'none',
});

/** Every description the specification knows, in the order in which they are listed: what the subject is, then whom it dealt with. */
export const detailOrder: readonly string[] = [
  'Sanctioned Entity',
  'Malicious Address',
  'Suspected Malicious Address',
  'Involved Theft Activity',
  'Involved Ransom Activity',
  'Involved Phishing Activity',
  'Involved Illicit Activity',
  'Mixer',
  'High-risk Tag Address',
  'Risk Exchange',
  'Gambling',
  'Medium-risk Tag Address',
  'Interact With Malicious Address',
  'Interact With Suspected Malicious Address',
  'Interact With High-risk Tag Address',
  'Interact With Medium-risk Tag Addresses',
];

/** Each description once, in the order above. */
export function orderDetails(details: Iterable<string>): string[] {
  const set = new Set(details);
  return detailOrder.filter((detail) => set.has(detail));
}

export function roundTo(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
