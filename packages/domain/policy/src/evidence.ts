import type { Action, Exposure, Kind, Outcome, ReasonCode, RiskLevel, Transfer } from '@weir/contracts';
import type { HistoryValue } from './history.ts';

interface KnownPrice {
  /** Decimal string, USD. */
  readonly usd: string;
  /** UTC day, such as `2026-01-31`. */
  readonly day: string;
}

/** The stored result and the transfer. Only rules read the optional fields; an absent one is unknown. */
export interface Evidence {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /** Set only with the outcome `SCORED`. */
  readonly riskLevel: RiskLevel | null;
  readonly riskDetail: readonly (Pick<Exposure, 'risk_type' | 'exposure_type' | 'hop_num'> & Partial<Exposure>)[];
  /** Reasons for a missing level; `LOCAL_SANCTIONS_MATCH` with or without one. */
  readonly reasons: readonly string[];
  /** Decimal string; null when unknown. */
  readonly usdValue: string | null;
  /** The risk API's price of one whole coin. */
  readonly knownPrice?: KnownPrice | null;
  /** Unix milliseconds at which Weir received the transfer. Callers cannot set it. */
  readonly receivedAt?: number;
  readonly score?: number | null;
  readonly detailList?: readonly string[];
  readonly addressLabel?: string;
  readonly hackingEvent?: string;
  readonly provider?: string | null;
  readonly transfer?: Partial<Transfer>;
  /** By `windowKey`; an absent window is unknown. */
  readonly history?: Readonly<Record<string, HistoryValue>>;
}

export interface Verdict {
  readonly action: Action;
  /** Strongest first, never empty. */
  readonly reasonCodes: ReasonCode[];
  /** Such as `deposit.Moderate.review_from_usd` or `rules.many-small-withdrawals`. */
  readonly rule: string;
}

export const strictness: Readonly<Record<Action, number>> = { allow: 0, review: 1, block: 2 };
