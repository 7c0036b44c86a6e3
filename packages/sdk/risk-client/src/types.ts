/** An interface, so that tests can move time. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary point; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface RiskClientOptions {
  /** Address of the standard API or of the sandbox (`…/sandbox`); each has its own operations. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `spec`: in the query for GET and in the body for POST; `header`: in `X-API-Key`. */
  readonly keyIn: 'spec' | 'header';
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** For the whole call, its body included. Default 10,000. */
  readonly timeoutMs?: number;
  /** Of the answer's body, after decompression. Default 1,000,000. */
  readonly maxBytes?: number;
  /** Default: the built-in one. `undiciFetch` needs less CPU. */
  readonly fetch?: Fetch;
  /** Called after every call. `operation` and `outcome` have closed lists, so they can be metric labels. */
  readonly onCall?: (call: { operation: Operation; outcome: string; durationMs: number }) => void;
}

export type Operation =
  | 'create_task'
  | 'query_task'
  | 'risk_score'
  | 'risk_report'
  | 'v1_risk_score'
  | 'v2_risk_score'
  | 'v2_create_task'
  | 'v2_query_task'
  | 'address_labels'
  | 'address_counterparty'
  | 'address_action'
  | 'address_overview'
  | 'address_trace'
  | 'transactions_investigation'
  | 'score_changes'
  | 'prices'
  | 'status'
  | 'readiness'
  | 'sandbox_targets';

/** `coin` names the chain. */
export interface AddressOf {
  readonly coin: string;
  readonly address: string;
}

export interface TransfersOf extends AddressOf {
  /** Unix seconds, both inclusive. Default: from the beginning until now. */
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
  /** Default `all`. */
  readonly type?: 'in' | 'out' | 'all';
  /** From 1. */
  readonly page?: number;
}

/** An address or a transaction, never both. */
export interface Target {
  readonly coin: string;
  readonly address?: string;
  readonly txid?: string;
  /** For transactions: the side to score. The API's default is `deposit`. */
  readonly direction?: 'deposit' | 'withdraw';
}

/** For operations that score senders only: their answer must not pass for one about receivers. */
export type DepositTarget = Target & { readonly direction?: 'deposit' };

export type Refusal =
  | { readonly kind: 'limited'; readonly window: 'second' | 'day'; readonly retryAfterMs: number }
  /** The API rejects this key, plan or path. `code` is the API's own if well-formed, else `HTTP_<status>`. */
  | { readonly kind: 'rejected'; readonly status: number; readonly code: string }
  /** `UnsupportedToken`, `UnsupportedAddressType`. */
  | { readonly kind: 'unsupported'; readonly code: string }
  /** `InvalidAddress`, `InvalidParameter`. */
  | { readonly kind: 'invalid'; readonly code: string }
  | Unavailable;

/** `detail` has fixed words, field names, numbers and error codes; never the answer's text, the key or the URL. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly reason: 'TIMEOUT' | 'NETWORK' | 'HTTP_STATUS' | 'UNREADABLE';
  readonly detail: string;
}

export type CreateAnswer =
  | {
      readonly kind: 'created';
      readonly task_id: string;
      readonly has_result: boolean;
      /** Unix seconds; null when 0 or absent. */
      readonly scanned_ts: number | null;
    }
  | Refusal;

/** v2 has no task id: the query repeats the target. */
export type StartAnswer = { readonly kind: 'started'; readonly has_result: boolean; readonly scanned_ts: number | null } | Refusal;

interface Evidence<Result = RiskResult> {
  readonly result: Result;
  /** The answer's text without secrets, such as the access token of `risk_report_url`. `result` can be read from it again. */
  readonly evidence: string;
  /** SHA-256 of `evidence` in UTF-8, hexadecimal. */
  readonly evidence_sha256: string;
}

export type QueryAnswer =
  | ({ readonly kind: 'scored' } & Evidence)
  /** The API has no data about the target (`coverage: "none"`). */
  | ({ readonly kind: 'no_data' } & Evidence)
  | { readonly kind: 'running' }
  | { readonly kind: 'not_found' }
  | Refusal;

/** v1 has no exposures. */
export type SummaryAnswer = ({ readonly kind: 'scored' | 'no_data' } & Evidence<RiskSummary>) | Refusal;

export type RiskLevel = 'Low' | 'Moderate' | 'High' | 'Severe';

export interface RiskSummary {
  /** 0 to 100, within the band of `risk_level`. */
  readonly score: number;
  readonly risk_level: RiskLevel;
  readonly hacking_event: string;
  readonly detail_list: readonly string[];
  /** Unix seconds of the computation; null when the answer has none. */
  readonly scanned_ts: number | null;
  readonly coverage: 'none' | 'labels' | 'transfers' | 'full' | null;
}

export interface RiskResult extends RiskSummary {
  readonly risk_detail: readonly RiskExposure[];
  /** Empty in v2, which has none. */
  readonly address_label: string;
  /** USD of illicit money that the target received, directly or traced. */
  readonly illicit_usd: number | null;
  /** Among the labels of the target. Null when the answer does not say. */
  readonly contradictions: readonly Contradiction[] | null;
  /** They add up to the score. Null when the answer does not say. */
  readonly contributions: readonly Contribution[] | null;
  /** Empty: no finding alone decides the level. Null when the answer does not say. */
  readonly counterfactuals: readonly Counterfactual[] | null;
}

interface Contribution {
  /** `base`, `own:<category>`, `<side>:direct:<category>`, `<side>:traced:<category>`, `<side>:floor:<rule>` or `<side>:cap:<rule>`. */
  readonly key: string;
  /** Negative for a cap. */
  readonly points: number;
}

/** The score and level without one finding. */
interface Counterfactual {
  /** Key of a contribution. */
  readonly without: string;
  readonly score: number;
  readonly risk_level: RiskLevel;
}

/** Some sources call the target a service, others accuse it. */
export interface Contradiction {
  /** The claim that counts. */
  readonly standing: 'service' | 'accusation';
  readonly service: LabelClaim;
  readonly accusation: LabelClaim;
}

export interface LabelClaim {
  /** 0 to 1. */
  readonly probability: number;
  readonly categories: readonly string[];
  readonly sources: readonly string[];
}

export interface RiskExposure {
  readonly entity: string;
  /** May be a type that the specification does not list. */
  readonly risk_type: string;
  readonly exposure_type: 'direct' | 'indirect';
  readonly hop_num: number;
  /** The API's `volume`. */
  readonly volume_usd: number | null;
  readonly percent: number | null;
  /** By hop: addresses or names of entities. */
  readonly hop_dic: Readonly<Record<string, readonly string[]>> | null;
  /** Whether the target received or sent the money. Null also when one line has both. */
  readonly side: 'in' | 'out' | null;
  /** The address that the target dealt with. */
  readonly counterparty: string | null;
  /** Transfers between the entity and the target, in the order of the money. */
  readonly path: readonly RiskHop[] | null;
  /** Of the labels that name the entity. */
  readonly sources: readonly string[] | null;
}

/** One transfer of an exposure's main path. */
export interface RiskHop {
  readonly txid: string;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly coin: string;
  /** Decimal string, in the coin. */
  readonly amount: string | null;
  readonly usd: number | null;
  readonly from: string;
  readonly to: string;
}

export type LabelsAnswer =
  | { readonly kind: 'labels'; readonly label_list: readonly string[]; readonly label_type: 'exchange' | 'defi' | 'mixer' | 'nft' | '' }
  | Refusal;

export type CounterpartiesAnswer =
  | {
      readonly kind: 'counterparties';
      /** `amount` in USD. */
      readonly address_counterparty_list: readonly { readonly name: string; readonly amount: number; readonly percent: number }[];
    }
  | Refusal;

export interface ActionShare {
  readonly action: string;
  readonly count: number;
  /** In percent. */
  readonly proportion: number;
}

export type ActionsAnswer =
  | { readonly kind: 'actions'; readonly received_txs: readonly ActionShare[]; readonly spent_txs: readonly ActionShare[] }
  | Refusal;

export interface CounterpartyUnit {
  readonly address: string;
  readonly type: 'plain' | 'malicious' | 'entity' | 'contract';
  readonly tx_hash_list: readonly string[];
  /** In the requested coin. */
  readonly amount: number;
  readonly label: string;
}

export type TransfersAnswer =
  | {
      readonly kind: 'transfers';
      readonly in: readonly CounterpartyUnit[];
      readonly out: readonly CounterpartyUnit[];
      readonly page: number;
      readonly total_pages: number;
      readonly transactions_on_page: number;
    }
  | Refusal;

/** A score that may have changed since it was sent. A new request computes it again. */
export interface ScoreChange {
  /** Such as `ethereum`. */
  readonly chain: string;
  readonly subject_type: 'address' | 'txid';
  /** In the API's form; EVM addresses in lower case. */
  readonly subject: string;
  /** The side of a transaction; `deposit` for an address. */
  readonly direction: 'deposit' | 'withdraw';
  /** `transfer`: only new transfers; the score was right when it was sent. */
  readonly cause: 'label' | 'transfer';
  /** Unix seconds. */
  readonly changed_at: number;
}

export type ScoreChangesAnswer =
  | {
      readonly kind: 'changes';
      readonly items: readonly ScoreChange[];
      /** The next `after`. Store it once `items` are processed. */
      readonly next_cursor: string;
      /** True when more changes exist already. */
      readonly more: boolean;
    }
  /** This API lacks the operation. */
  | { readonly kind: 'not_found' }
  | Refusal;

export type PriceAnswer =
  | {
      readonly kind: 'price';
      /** USD for one whole coin, decimal text. */
      readonly usd: string;
      /** UTC day, such as `2026-01-31`. */
      readonly day: string;
    }
  /** The API has no price of the coin. */
  | { readonly kind: 'no_price' }
  /** This API lacks the operation. */
  | { readonly kind: 'not_found' }
  | Refusal;

export type ReadinessAnswer =
  /** `warnings`: problems of the API's data, such as empty or stale, for people. */
  | { readonly kind: 'ready'; readonly warnings: readonly string[] }
  /** This API lacks the page. */
  | { readonly kind: 'not_found' }
  | Refusal;

export interface SandboxTarget extends Target {
  readonly risk_level: RiskLevel;
  readonly score: number;
}

export type TargetsAnswer = { readonly kind: 'targets'; readonly targets: readonly SandboxTarget[] } | Refusal;

/** The part of `fetch` that a call needs. */
export type Fetch = (
  url: URL,
  init: {
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<FetchedResponse>;

export interface FetchedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Decompressed. */
  readonly body: AsyncIterable<Uint8Array> | null;
}
