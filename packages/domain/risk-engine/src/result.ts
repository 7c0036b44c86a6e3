import type { Contribution, Level } from './combine.ts';
import { noFlow } from './flow.ts';
import type { Flow, Label, Side } from './store.ts';
import type { RiskType } from './weights.ts';

/** The kinds of known data. */
export type Coverage = 'none' | 'labels' | 'transfers' | 'full';

/** One entity with all its addresses. */
export interface Exposure {
  readonly entity: string;
  readonly risk_type: RiskType;
  readonly exposure_type: 'direct' | 'indirect';
  /** 1 for direct flows; else the entity's nearest hop, 2 to 7. */
  readonly hop_num: number;
  /**
   * USD, two decimals: the moved value for direct flows, the share of the known value for indirect ones.
   * 0 without known values; `percent` then counts transfers.
   */
  readonly volume: number;
  /** 0 to 100, four decimals, of the volume on both sides. The lines add up to 100 at most. */
  readonly percent: number;
  /** Indirect only: addresses by hop, at most ten each, largest first, with the entity at `hop_num`. */
  readonly hop_dic?: Readonly<Record<string, readonly string[]>>;
  /** At most five, in alphabetical order. */
  readonly sources: readonly string[];
}

/** One side's shares (0 to 1), which add up to one. */
export interface SideSummary {
  /** Excludes tokens, except for a service, whose counterparties are not read. */
  readonly total: Flow;
  /** With risk labels, at any hop. */
  readonly risk: number;
  /** With services without a risk label. A service keeps all of its own. */
  readonly services: number;
  /** With addresses without flows on that side, or returned. 1 without flows. */
  readonly ends: number;
  /** The part of `ends` that returned to the subject. The score is based on the rest. */
  readonly returned: number;
  /** Not followed: too small, too far, or left out by the store. The true `risk` is at most this much larger. */
  readonly bound: number;
  /** Addresses expanded. */
  readonly expanded: number;
}

/** The score without one of its findings. */
export interface Counterfactual {
  /** A contribution's key. */
  readonly without: string;
  readonly score: number;
  readonly level: Level;
}

export interface Assessment {
  readonly score: number;
  readonly level: Level;
  /** The specification's descriptions, worst first. */
  readonly detail_list: readonly string[];
  /** Largest first. */
  readonly exposures: readonly Exposure[];
  /** A theft by the subject or in its funds; may be empty. */
  readonly hacking_event: string;
  readonly address_label: string;
  /** `base`, `own:<category>`, `exposure:<category>` (direct) or `indirect:<category>`. Points add up to the score. */
  readonly contributions: readonly Contribution[];
  readonly coverage: Coverage;
  /** Worst first. For a transaction these, `sides` and `counterfactuals` are those of `worstAddress`. */
  readonly labels: readonly Label[];
  readonly sides: Readonly<Record<Side, SideSummary>>;
  /** Transactions only: the scored address with the highest score. */
  readonly worstAddress?: string;
  /** Only changes of the level, in the order of `contributions`. */
  readonly counterfactuals: readonly Counterfactual[];
}

const noSide: SideSummary = Object.freeze({ total: noFlow, risk: 0, services: 0, ends: 1, returned: 0, bound: 0, expanded: 0 });

/** No data: only `coverage` distinguishes it from a real "Low". */
export const unknown: Assessment = Object.freeze({
  score: 3,
  level: 'Low',
  detail_list: [],
  exposures: [],
  hacking_event: '',
  address_label: '',
  contributions: [{ key: 'base', points: 3 }],
  coverage: 'none',
  labels: [],
  sides: { in: noSide, out: noSide },
  counterfactuals: [],
});

/** The specification's descriptions in output order. */
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

export function orderDetails(details: Iterable<string>): string[] {
  const set = new Set(details);
  return detailOrder.filter((detail) => set.has(detail));
}

export function roundTo(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
