import type { Contribution, Level } from './combine.ts';
import { noFlow } from './flow.ts';
import type { Flow, Label, Movement, Side } from './store.ts';
import type { Contradiction } from './weigh-labels.ts';
import type { RiskType } from './weights.ts';

/** The kinds of known data. */
export type Coverage = 'none' | 'labels' | 'transfers' | 'full';

/** One entity with all its addresses, on one side, either direct or indirect. */
export interface Exposure {
  /** `in`: it is a source of the funds. `out`: the funds went to it. */
  readonly side: Side;
  /** Beyond the 64 largest of a side: `Others (<category>)`. */
  readonly entity: string;
  /** Of the category; of a suspicion of sanctions `illicit_activity`. */
  readonly risk_type: RiskType;
  /** Of `weights.json`. */
  readonly category: string;
  /** By labels of low confidence. */
  readonly suspected: boolean;
  readonly exposure_type: 'direct' | 'indirect';
  /** Transfers between the entity and the subject: 1 for direct ones, else at least 2. */
  readonly hop_num: number;
  /** USD of the known values, two decimals, at least 0.01. 0: no value is known. `percent` and `side_percent` estimate the others. */
  readonly volume: number;
  /** 0 to 100, four decimals, of the volume on both sides. The lines add up to 100 at most. Of a transaction: of one address. */
  readonly percent: number;
  /** The same of its side alone. */
  readonly side_percent: number;
  /** The address next to the subject that brought most of it. */
  readonly counterparty: string;
  /**
   * The transfers that carried most of it, in the order of time. Empty if they are not listed. Of more than 20 the first and the last ten.
   */
  readonly path: readonly Movement[];
  /** Indirect only: by hop, the address on the path, and the entity at `hop_num`. Without the hops that `path` leaves out. */
  readonly hop_dic?: Readonly<Record<string, readonly string[]>>;
  /** At most five, in alphabetical order. */
  readonly sources: readonly string[];
}

/** Source of funds (`in`) or use of funds (`out`). Shares (0 to 1) are of the side without own money that came back. */
export interface SideSummary {
  /** All transfers. Without those with tokens, except for a service. */
  readonly total: Flow;
  /** Whether it counts in the score. The sender of a deposit is judged by `in` alone; `out` is then read for direct contact only. */
  readonly counted: boolean;
  /** 3 to 100, not rounded, by this side alone. */
  readonly score: number;
  /** The score if all unread money were stolen, by the rule that makes it largest. */
  readonly upper_score: number;
  /** Straight with risk labels. */
  readonly direct: number;
  /** Through others. */
  readonly traced: number;
  /** Money whose past (`in`) or future (`out`) was not read. The true illicit share is at most this much larger. */
  readonly unread: number;
  /** Against limits in USD: theft, sanctions and the like. */
  readonly illicit_usd: { readonly direct: number; readonly traced: number };
  /** Addresses whose transfers were read. 0: a service, whose transfers are its customers'. */
  readonly addresses: number;
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
  /** Not rounded, to order by. */
  readonly exact: number;
  /** The specification's descriptions, worst first. */
  readonly detail_list: readonly string[];
  /** Of both sides, largest first. */
  readonly exposures: readonly Exposure[];
  /** A theft by the subject or in its funds; may be empty. */
  readonly hacking_event: string;
  readonly address_label: string;
  /**
   * `base`, `own:<category>`, `own:contested`, and those of the worse side: `<side>:direct:<category>`, `<side>:traced:<category>`, `<side>:floor:<rule>`,
   * `<side>:cap:<rule>`. A suspected category ends with `?`. Caps are negative. Points add up to the score.
   */
  readonly contributions: readonly Contribution[];
  readonly coverage: Coverage;
  /** Worst first. For a transaction these, `contradictions`, `bound`, `sides` and `counterfactuals` are those of `worstAddress`. */
  readonly labels: readonly Label[];
  /** Among the labels of the address; labels of the weaker claim are not in `labels`. */
  readonly contradictions: readonly Contradiction[];
  /** Unread share (0 to 1) of the counted side where it is larger. */
  readonly bound: number;
  /** Received illicit money, direct and traced, in USD. Of a transaction: by all scored addresses. */
  readonly illicit_usd: number;
  readonly sides: Readonly<Record<Side, SideSummary>>;
  /** Transactions only: the scored address with the highest score. */
  readonly worstAddress?: string;
  /** Only changes of the level, in the order of `contributions`. */
  readonly counterfactuals: readonly Counterfactual[];
}

export const noSide: SideSummary = Object.freeze({
  total: noFlow,
  counted: true,
  score: 3,
  upper_score: 3,
  direct: 0,
  traced: 0,
  unread: 0,
  illicit_usd: { direct: 0, traced: 0 },
  addresses: 0,
});

/** No data: only `coverage` distinguishes it from a real "Low". */
export const unknown: Assessment = Object.freeze({
  score: 3,
  level: 'Low',
  exact: 3,
  detail_list: [],
  exposures: [],
  hacking_event: '',
  address_label: '',
  contributions: [{ key: 'base', points: 3 }],
  coverage: 'none',
  labels: [],
  contradictions: [],
  bound: 0,
  illicit_usd: 0,
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
