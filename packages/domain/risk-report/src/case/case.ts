/** What a case file says, as the console stores it. Times are RFC 3339 in UTC. */
export interface CaseReport {
  /** Of Weir. */
  readonly version: string;
  readonly made_at: string;
  readonly screening: CaseScreening;
  readonly review: CaseReview;
  /** Null: it is in none. */
  readonly related: RelatedHolds | null;
}

/** The case that the screening is in, with related holds. */
interface RelatedHolds {
  readonly case_id: string;
  readonly keys: readonly string[];
  readonly holds: number;
  /** Sum of the known values, decimal; null where none is known. */
  readonly usd: string | null;
  readonly unknown_usd: number;
  readonly assignee: string | null;
  readonly due_at: string | null;
  readonly escalated_at: string | null;
  readonly outcome: string | null;
  readonly outcome_reason: string | null;
  readonly outcome_by: CasePerson | null;
  readonly outcome_at: string | null;
  /** Oldest first. */
  readonly screenings: readonly {
    readonly screening_id: string;
    readonly kind: string;
    readonly action: string | null;
    readonly level: string | null;
    readonly coin: string;
    readonly amount: string;
    readonly usd_value: string | null;
    readonly counterparty: string | null;
    readonly requested_at: string;
  }[];
  readonly notes: CaseReview['notes'];
  readonly attachments: CaseReview['attachments'];
}

interface CaseScreening {
  readonly screening_id: string;
  readonly kind: string;
  readonly status: string;
  /** Fields of the transfer; null: unknown. */
  readonly transfer: Readonly<Record<string, string | null>>;
  readonly subject: string | null;
  readonly subject_type: string | null;
  readonly result: CaseResult | null;
  readonly decisions: readonly CaseDecision[];
  readonly requested_at: string;
  readonly deadline_at: string | null;
}

interface CaseResult {
  readonly outcome: string;
  readonly score?: number;
  readonly risk_level?: string;
  readonly reasons: readonly string[];
  readonly detail_list: readonly string[];
  readonly risk_detail: readonly CaseExposure[];
  /** Absent where the stored answer has none. */
  readonly grounds?: {
    readonly contributions: readonly { readonly key: string; readonly points: number }[];
    readonly counterfactuals: readonly { readonly without: string; readonly score: number; readonly risk_level: string }[];
  };
  readonly address_label: string;
  readonly hacking_event: string;
  /** Unix seconds. */
  readonly scanned_ts: number | null;
  readonly scored_at?: string;
  readonly provider: string;
  readonly evidence_sha256: string | null;
}

export interface CaseExposure {
  readonly entity: string;
  readonly risk_type: string;
  readonly exposure_type: string;
  readonly hop_num: number;
  /** USD. */
  readonly volume: number | null;
  readonly percent: number | null;
  readonly side?: 'in' | 'out' | null;
  /** The address next to the subject. */
  readonly counterparty?: string | null;
  /** Of the labels that name the entity; absent where no stored answer has them. */
  readonly sources?: readonly string[];
  /** In the order of time; absent where no stored answer has one. */
  readonly path?: readonly CaseHop[];
}

/** One transfer on the way of the money. */
export interface CaseHop {
  readonly txid: string;
  readonly time: string;
  readonly coin: string;
  /** Decimal text, in the coin. */
  readonly amount: string | null;
  readonly usd: number | null;
  readonly from: string;
  readonly to: string;
}

interface CaseDecision {
  readonly revision: number;
  readonly action: string;
  readonly reason_codes: readonly string[];
  readonly rule: string | null;
  readonly policy_hash: string;
  readonly decided_at: string;
  readonly resolution_id: string | null;
}

interface CasePerson {
  /** Role and id of the token. */
  readonly id: string;
  readonly name: string;
}

interface CaseReview {
  readonly state: string;
  readonly assignee: string | null;
  readonly due_at: string | null;
  readonly plan_changes: readonly {
    readonly field: 'assignee' | 'due_at';
    readonly value: string | null;
    readonly changed_by: CasePerson;
    readonly changed_at: string;
  }[];
  readonly resolutions: readonly {
    readonly revision: number;
    readonly action: string;
    readonly reason: string;
    readonly state: string;
    readonly resolved_by: CasePerson;
    readonly resolved_at: string;
    readonly answered_by: CasePerson | null;
    readonly answer_reason: string | null;
    readonly answered_at: string | null;
  }[];
  readonly notes: readonly { readonly text: string; readonly written_by: CasePerson; readonly written_at: string }[];
  readonly attachments: readonly {
    readonly name: string;
    readonly type: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly attached_by: CasePerson;
    readonly attached_at: string;
  }[];
}
