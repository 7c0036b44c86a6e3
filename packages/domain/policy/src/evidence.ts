import type { Action, Exposure, HistoryWindow, Kind, Outcome, ReasonCode, RiskLevel, Transfer } from '@weir/contracts';

/** The stored result and the transfer. Only rules read the optional fields; an absent one is unknown. */
export interface Evidence {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /** Set only with the outcome `SCORED`. */
  readonly risk_level: RiskLevel | null;
  readonly risk_detail: readonly (Pick<Exposure, 'risk_type' | 'exposure_type' | 'hop_num'> & Partial<Exposure>)[];
  /** Reasons for a missing level; `LOCAL_SANCTIONS_MATCH` with or without one. */
  readonly reasons: readonly string[];
  /** Decimal string; null when unknown. */
  readonly usd_value: string | null;
  /** The risk API's price of one whole coin, decimal string. */
  readonly known_usd_price?: string | null;
  /** UTC day of the price, such as `2026-01-31`. */
  readonly price_day?: string | null;
  /** Unix milliseconds at which Weir received the transfer or its renewal. Callers cannot set it. */
  readonly requested_at?: number;
  readonly score?: number | null;
  /** Of the result, in USD. */
  readonly illicit_usd?: number | null;
  readonly detail_list?: readonly string[];
  readonly address_label?: string;
  readonly hacking_event?: string;
  readonly provider?: string | null;
  readonly transfer?: Partial<Transfer>;
  /** An absent window is unknown. */
  readonly history?: readonly HistoryWindow[];
}

export interface Verdict {
  readonly action: Action;
  /** Strongest first, never empty. */
  readonly reason_codes: ReasonCode[];
  /** Such as `deposit.Moderate.review_from_usd` or `rules.many-small-withdrawals`. */
  readonly rule: string;
}

export const strictness: Readonly<Record<Action, number>> = { allow: 0, review: 1, block: 2 };
