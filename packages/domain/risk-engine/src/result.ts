import type { Contribution, Level } from './combine.ts';
import { noFlow } from './flow.ts';
import type { Flow, Label, Side } from './store.ts';
import type { RiskType } from './weights.ts';

/** Which data was known: none, labels only, transfers only, or both. */
export type Coverage = 'none' | 'labels' | 'transfers' | 'full';

/** One entity, with all its addresses, among the counterparties or behind them. */
export interface Exposure {
  readonly entity: string;
  readonly riskType: RiskType;
  readonly exposureType: 'direct' | 'indirect';
  /** 1 for direct flows; else the nearest hop at which the entity was met, 2 to 7. */
  readonly hopNum: number;
  /**
   * USD, two decimals: the moved value for direct flows, the share of the known value for indirect ones.
   * 0 when no value is known; `percent` then counts transfers.
   */
  readonly volume: number;
  /** 0 to 100, four decimals, of the subject's volume on both sides. The lines of an address add up to 100 at most. */
  readonly percent: number;
  /** Indirect only: the addresses by hop, at most ten each, largest first, with the entity at `hopNum`. */
  readonly hopDic?: Readonly<Record<string, readonly string[]>>;
  /** Sources of the entity's labels: at most five, in alphabetical order. */
  readonly sources: readonly string[];
}

/** Where one side's money comes from or goes. The shares (0 to 1) of the side add up to one. */
export interface SideSummary {
  /** The base of the shares. Excludes tokens, except for a service, whose counterparties are not read. */
  readonly total: Flow;
  /** With risk labels, at any hop. */
  readonly risk: number;
  /** With services without a risk label. A service keeps all of its own. */
  readonly services: number;
  /** With addresses without flows on that side, or returned to the subject. 1 when the subject has no flows. */
  readonly ends: number;
  /** The part of `ends` that returned to the subject. The score is based on the rest. */
  readonly returned: number;
  /** Not followed: too small, too far, or left out by the store. The true `risk` is at most this much larger. */
  readonly bound: number;
  /** Number of addresses expanded. */
  readonly expanded: number;
}

/** The score without one of its findings. */
export interface Counterfactual {
  /** The key of the contribution. */
  readonly without: string;
  readonly score: number;
  readonly level: Level;
}

export interface Assessment {
  readonly score: number;
  readonly level: Level;
  /** The specification's descriptions, worst first. */
  readonly detailList: readonly string[];
  /** Largest first. */
  readonly exposures: readonly Exposure[];
  /** The theft that the subject took part in or got funds from; may be empty. */
  readonly hackingEvent: string;
  readonly addressLabel: string;
  /** `base`, then `own:<category>`, `exposure:<category>` (direct) or `indirect:<category>`. The points add up to the score. */
  readonly contributions: readonly Contribution[];
  readonly coverage: Coverage;
  /** The subject's own labels, worst first. For a transaction these, `sides` and `counterfactuals` are those of the worst address. */
  readonly labels: readonly Label[];
  readonly sides: Readonly<Record<Side, SideSummary>>;
  /** Transactions only: the address of the scored side with the highest score. */
  readonly worstAddress?: string;
  /** Only those that change the level, in the order of `contributions`. */
  readonly counterfactuals: readonly Counterfactual[];
}

const noSide: SideSummary = Object.freeze({ total: noFlow, risk: 0, services: 0, ends: 1, returned: 0, bound: 0, expanded: 0 });

/** The answer without any data. Only `coverage` distinguishes it from a "Low" with data. */
export const unknown: Assessment = Object.freeze({
  score: 3,
  level: 'Low',
  detailList: [],
  exposures: [],
  hackingEvent: '',
  addressLabel: '',
  contributions: [{ key: 'base', points: 3 }],
  coverage: 'none',
  labels: [],
  sides: { in: noSide, out: noSide },
  counterfactuals: [],
});

/** Every description of the specification, in the order of the output: the subject itself, then its counterparties. */
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
