import type { Action, Direction, Exposure, Kind, Outcome, RiskLevel, SubjectType } from '@weir/contracts';

/** A transfer as posted. Amounts are decimal strings. */
export interface TransferView {
  readonly deposit_id?: string;
  readonly withdrawal_id?: string;
  readonly chain: string;
  readonly coin: string;
  readonly txid: string | null;
  readonly from_address: string | null;
  readonly to_address: string;
  readonly amount: string;
  readonly usd_value: string | null;
  readonly user_id: string | null;
  /** Of a deposit; RFC 3339. */
  readonly detected_at?: string;
  /** Of a withdrawal; RFC 3339. */
  readonly requested_at?: string;
}

/** An exposure under the risk API's names; `volume` in USD, `percent` from 0 to 100. */
export interface ExposureView extends Omit<Exposure, 'volume_usd' | 'side'> {
  readonly volume: number | null;
  /** Absent in rows of older versions. */
  readonly side?: Exposure['side'];
}

/** One question to the risk API and its answer. */
export interface QuestionView {
  readonly subject: string;
  readonly subject_type: SubjectType;
  readonly outcome: Outcome;
  /** Absent where the outcome has none. */
  readonly score?: number;
  readonly risk_level?: RiskLevel;
  readonly evidence_sha256: string | null;
}

export interface ResultView {
  readonly outcome: Outcome;
  /** Absent where the outcome has none. */
  readonly score?: number;
  readonly risk_level?: RiskLevel;
  /** Reason codes of an outcome without a level. */
  readonly reasons: readonly string[];
  readonly detail_list: readonly string[];
  readonly risk_detail: readonly ExposureView[];
  readonly address_label: string;
  readonly hacking_event: string;
  /** Unix seconds, from the risk API. */
  readonly scanned_ts: number | null;
  readonly provider: string;
  readonly evidence_sha256: string | null;
  /** When the risk API's answer was read, else when the result was made; RFC 3339. Absent in rows of older versions. */
  readonly scored_at?: string;
  /** Whether the answer existed before this screening asked. */
  readonly reused?: boolean;
  /** When this screening received the result; RFC 3339. If absent, `scored_at` applies. */
  readonly reported_at?: string;
  /** Present if the risk API does not know the transaction: the question about it, then the one about the counterparty. */
  readonly questions?: readonly QuestionView[];
}

export interface DecisionView {
  /** From 1. */
  readonly revision: number;
  readonly action: Action;
  readonly reason_codes: readonly string[];
  readonly rule: string | null;
  readonly policy_hash: string;
  readonly decided_at: string;
  readonly supersedes: number | null;
  /** The people's resolution behind it; null for a decision by the policy. */
  readonly resolution_id: string | null;
}

/** `open`: no decision yet; else by the latest revision. */
export type ScreeningStatus = 'open' | 'allowed' | 'held' | 'blocked';

/** One screening; times are RFC 3339, UTC. */
export interface ScreeningView {
  readonly screening_id: string;
  readonly kind: Kind;
  readonly status: ScreeningStatus;
  readonly transfer: TransferView;
  /** Subject, direction and deadline are null until the request or a result is read. */
  readonly subject: string | null;
  readonly subject_type: SubjectType | null;
  readonly direction: Direction | null;
  /** The latest result; null before the first. */
  readonly result: ResultView | null;
  /** By revision. */
  readonly decisions: readonly DecisionView[];
  readonly requested_at: string;
  readonly deadline_at: string | null;
}
