import type { Contribution, Level } from './combine.ts';
import { noFlow } from './flow.ts';
import type { Flow, Label, Side } from './store.ts';
import type { RiskType } from './weights.ts';

/** How much was known: nothing, labels only, transfers only, or both. */
export type Coverage = 'none' | 'labels' | 'transfers' | 'full';

/** One entity the subject dealt with, or that stands behind those it dealt with; several addresses of one entity are one. */
export interface Exposure {
  readonly entity: string;
  readonly riskType: RiskType;
  readonly exposureType: 'direct' | 'indirect';
  /** 1 for direct dealings; else the nearest hop at which the entity was met, 2 to 7. */
  readonly hopNum: number;
  /**
   * USD, two decimals: for direct dealings what was moved, for indirect ones the share of all that is known. 0 when no value is known,
   * while `percent` is then by number of transfers.
   */
  readonly volume: number;
  /** 0 to 100, four decimals, of the subject's whole volume on both sides; the lines of an address add up to 100 at most. */
  readonly percent: number;
  /** For indirect exposures: the addresses on the way by hop, at most ten each and the largest first, and the entity at `hopNum`. */
  readonly hopDic?: Readonly<Record<string, readonly string[]>>;
  /** Who says so: the sources of the entity's labels, at most five, in alphabetical order. */
  readonly sources: readonly string[];
}

/** Where one side of the subject leads. The shares (0 to 1) are of that side, and add up to one. */
export interface SideSummary {
  /** What the shares are of. Tokens are left out of it, but not for a service, whose counterparties are not looked at. */
  readonly total: Flow;
  /** Came from, or went to, bearers of risk labels, at any hop. */
  readonly risk: number;
  /** The same for services without a risk; a service keeps all of its own. */
  readonly services: number;
  /** Stands at addresses without dealings on that side, or came back to the subject. All of it where the subject has none. */
  readonly ends: number;
  /** The part of `ends` that came back to the subject; the score counts shares of what did not. */
  readonly returned: number;
  /** Was not followed: too small, too far, or left out by the store. `risk` is at most this much larger in truth. */
  readonly bound: number;
  /** How often the dealings of an address were looked at. */
  readonly expanded: number;
}

/** What the score would be without one of its findings. */
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
  /** The theft the subject took part in or got funds from; empty when none. */
  readonly hackingEvent: string;
  readonly addressLabel: string;
  /** `base`, then `own:<category>`, `exposure:<category>` (direct) or `indirect:<category>`; the points add up to the score. */
  readonly contributions: readonly Contribution[];
  readonly coverage: Coverage;
  /** The subject's own, worst first; for a transaction those of the worst of its side, as are `sides` and `counterfactuals`. */
  readonly labels: readonly Label[];
  readonly sides: Readonly<Record<Side, SideSummary>>;
  /** Of a transaction: the address of its side that scored worst. */
  readonly worstAddress?: string;
  /** Only those whose level differs, in the order of `contributions`. */
  readonly counterfactuals: readonly Counterfactual[];
}

const noSide: SideSummary = Object.freeze({ total: noFlow, risk: 0, services: 0, ends: 1, returned: 0, bound: 0, expanded: 0 });

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
  labels: [],
  sides: { in: noSide, out: noSide },
  counterfactuals: [],
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
