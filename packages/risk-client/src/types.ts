import type { Clock } from '@weir/clock';

export interface RiskClientOptions {
  /** Address of the standard API or of the sandbox (`…/sandbox`); both have the same paths below it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `spec`: in the query for GET and in the body for POST, as the specification says; `header`: in `X-API-Key`. */
  readonly keyIn: 'spec' | 'header';
  readonly clock: Clock;
  /** For the whole call, its body included. Default 10,000. */
  readonly timeoutMs?: number;
  /** Of the answer's body, after decompression. Default 1,000,000. */
  readonly maxBytes?: number;
  readonly fetch?: typeof fetch;
  /** Told of every call when it has ended. `operation` and `outcome` are of closed lists, so they can be metric labels. */
  readonly onCall?: (call: { operation: Operation; outcome: string; durationMs: number }) => void;
}

export type Operation = 'create_task' | 'query_task' | 'risk_score';

/** What is asked about: an address or a transaction, never both. */
export interface Target {
  readonly coin: string;
  readonly address?: string;
  readonly txid?: string;
  /** For transactions: which side is asked about. The API's default is `deposit`. */
  readonly direction?: 'deposit' | 'withdraw';
}

/** Why there is no answer to the question. */
export type Refusal =
  | { readonly kind: 'limited'; readonly window: 'second' | 'day'; readonly retryAfterMs: number }
  /** The API refuses this caller or this request: key, plan, path. `code` is the API's own when it looks like one, else `HTTP_<status>`. */
  | { readonly kind: 'rejected'; readonly status: number; readonly code: string }
  /** `UnsupportedToken`, `UnsupportedAddressType`. */
  | { readonly kind: 'unsupported'; readonly code: string }
  /** `InvalidAddress`, `InvalidParameter`. */
  | { readonly kind: 'invalid'; readonly code: string }
  | Unavailable;

/** `detail` is made of our own words, field names, numbers and error codes; never of the answer's text, the key or the URL. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly reason: 'TIMEOUT' | 'NETWORK' | 'HTTP_STATUS' | 'UNREADABLE';
  readonly detail: string;
}

export type CreateAnswer =
  | {
      readonly kind: 'created';
      readonly taskId: string;
      readonly hasResult: boolean;
      /** Unix seconds; null when 0 or absent. */
      readonly scannedTs: number | null;
    }
  | Refusal;

interface Evidence {
  readonly result: RiskResult;
  /** The answer's text with the access token of `risk_report_url` cut out. `result` can be read from it again. */
  readonly raw: string;
  /** SHA-256 of `raw` in UTF-8, hexadecimal. */
  readonly rawSha256: string;
}

export type QueryAnswer =
  | ({ readonly kind: 'scored' } & Evidence)
  /** The API knows nothing of the target (`coverage: "none"`). */
  | ({ readonly kind: 'no_data' } & Evidence)
  | { readonly kind: 'running' }
  | { readonly kind: 'not_found' }
  | Refusal;

export type RiskLevel = 'Low' | 'Moderate' | 'High' | 'Severe';

export interface RiskResult {
  /** 0 to 100, and in the band of `riskLevel`. */
  readonly score: number;
  readonly riskLevel: RiskLevel;
  readonly hackingEvent: string;
  readonly detailList: readonly string[];
  readonly riskDetail: readonly RiskExposure[];
  readonly addressLabel: string;
  /** Unix seconds at which the result was computed; null when the answer does not say. */
  readonly scannedTs: number | null;
  readonly coverage: 'none' | 'labels' | 'transfers' | 'full' | null;
}

export interface RiskExposure {
  readonly entity: string;
  /** As the answer has it; may be one that the specification does not list. */
  readonly riskType: string;
  readonly exposureType: 'direct' | 'indirect';
  readonly hopNum: number;
  readonly volumeUsd: number | null;
  readonly percent: number | null;
  /** By hop: addresses or names of entities. */
  readonly path: Readonly<Record<string, readonly string[]>> | null;
}
