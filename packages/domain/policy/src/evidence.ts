import type { Action, Exposure, Kind, Outcome, ReasonCode, RiskLevel, Transfer } from '@weir/contracts';
import type { HistoryValue } from './history.ts';

/** A price in USD, and the UTC day that it is of. */
interface KnownPrice {
  /** Decimal string. */
  readonly usd: string;
  /** Such as `2026-01-31`. */
  readonly day: string;
}

/** What a decision is made of: the stored result and the transfer. What only rules look at may be left out; it is then unknown. */
export interface Evidence {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /** Only with the outcome `SCORED`. */
  readonly riskLevel: RiskLevel | null;
  readonly riskDetail: readonly (Pick<Exposure, 'risk_type' | 'exposure_type' | 'hop_num'> & Partial<Exposure>)[];
  /** Why there is no level; and, with or without one, that a local sanctions list names the counterparty. */
  readonly reasons: readonly string[];
  /** Decimal string; null when unknown. */
  readonly usdValue: string | null;
  /** The price of one whole coin, as the risk API knows it; null or left out when unknown. */
  readonly knownPrice?: KnownPrice | null;
  /** When Weir received the transfer, Unix milliseconds. Callers cannot set it. */
  readonly receivedAt?: number;
  readonly score?: number | null;
  readonly detailList?: readonly string[];
  readonly addressLabel?: string;
  readonly hackingEvent?: string;
  readonly provider?: string | null;
  readonly transfer?: Partial<Transfer>;
  /** By `windowKey`; what is not there is unknown. */
  readonly history?: Readonly<Record<string, HistoryValue>>;
}

export interface Verdict {
  readonly action: Action;
  /** Why, strongest first. Never empty. */
  readonly reasonCodes: ReasonCode[];
  /** The line of the policy that decided, e.g. `deposit.Moderate.review_from_usd` or `rules.many-small-withdrawals`. */
  readonly rule: string;
}

/** How strict an action is. */
export const strictness: Readonly<Record<Action, number>> = { allow: 0, review: 1, block: 2 };
