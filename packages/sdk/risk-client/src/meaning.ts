import type { QueryAnswer, Refusal, RiskResult, Unavailable } from './types.ts';

/** The reason for a missing score. */
export type RetryReason = 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_UNREADABLE' | 'UPSTREAM_REJECTED';

/** A definitive answer: a retry would give the same. */
export type Final =
  | {
      readonly kind: 'final';
      /** Only `SCORED` has a level; `NO_DATA` has an empty result. */
      readonly outcome: 'SCORED' | 'NO_DATA';
      readonly result: RiskResult;
      /** Unix seconds of the computation: the query's, else the create's, else null. */
      readonly scanned_ts: number | null;
      /** Unix milliseconds: `scanned_ts`, at most the time of reading, which is also the default. */
      readonly scannedMs: number;
      readonly evidence: string;
      readonly evidence_sha256: string;
    }
  | { readonly kind: 'final'; readonly outcome: 'UNSUPPORTED'; readonly reason: 'UNSUPPORTED_COIN'; readonly detail: string }
  | { readonly kind: 'final'; readonly outcome: 'INVALID'; readonly reason: 'INVALID_TRANSFER'; readonly detail: string };

/** No answer yet, but a retry may give one. A caller that gives up reports `UNAVAILABLE` with this reason. */
export type Retry =
  | {
      readonly kind: 'retry';
      readonly outcome: 'UNAVAILABLE';
      readonly reason: RetryReason;
      /** `api`: nobody gets an answer. `caller`: the API rejects this key for any request. `unknown`: perhaps this request. */
      readonly cause: 'api' | 'caller' | 'unknown';
      readonly detail: string;
    }
  | {
      readonly kind: 'limited';
      readonly outcome: 'UNAVAILABLE';
      readonly reason: 'BUDGET_EXHAUSTED';
      readonly window: 'second' | 'day';
      readonly retryAfterMs: number;
      readonly detail: string;
    };

/** The consequence of an answer for the caller. */
export type Meaning =
  | Final
  | Retry
  | { readonly kind: 'running' }
  /** The API has lost the task; create it again. */
  | { readonly kind: 'task_lost' };

export interface ReadingOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** A result computed longer ago is rejected as stale. */
  readonly maxAgeMs: number;
  /** The create's `scanned_ts`, for results without one. */
  readonly createdScannedTs?: number | null;
}

/** Codes that reject the caller, whatever the request. */
const refusesCaller: ReadonlySet<string> = new Set(['InvalidApiKey', 'ExpiredPlan']);

/** An answer that does not speak of a task. */
type Settled = Exclude<QueryAnswer, { kind: 'running' | 'not_found' }>;

/** Also for calls that return the score at once. */
export function meaningOf(answer: Settled, options: ReadingOptions): Final | Retry;
export function meaningOf(answer: QueryAnswer, options: ReadingOptions): Meaning;
export function meaningOf(answer: QueryAnswer, options: ReadingOptions): Meaning {
  switch (answer.kind) {
    case 'scored':
    case 'no_data':
      return meaningOfResult(answer, options);
    case 'running':
      return answer;
    case 'not_found':
      return { kind: 'task_lost' };
    case 'limited':
    case 'unsupported':
    case 'invalid':
    case 'rejected':
    case 'unavailable':
      return meaningOfRefusal(answer);
  }
}

/** For a create or a query. An unreadable answer never gives a level. */
export function meaningOfRefusal(refusal: Refusal): Final | Retry {
  switch (refusal.kind) {
    case 'limited':
      return { ...refusal, outcome: 'UNAVAILABLE', reason: 'BUDGET_EXHAUSTED', detail: `the limit of a ${refusal.window} is reached` };
    case 'unsupported':
      return { kind: 'final', outcome: 'UNSUPPORTED', reason: 'UNSUPPORTED_COIN', detail: `the risk API says ${refusal.code}` };
    case 'invalid':
      return { kind: 'final', outcome: 'INVALID', reason: 'INVALID_TRANSFER', detail: `the risk API says ${refusal.code}` };
    case 'rejected': {
      const cause = refusesCaller.has(refusal.code) || refusal.status === 401 ? 'caller' : 'unknown';
      return retry('UPSTREAM_REJECTED', cause, `the risk API refuses us: ${refusal.code}`);
    }
    case 'unavailable':
      return meaningOfFailure(refusal);
  }
}

function meaningOfFailure({ reason, detail }: Unavailable): Retry {
  if (reason === 'UNREADABLE') return retry('UPSTREAM_UNREADABLE', 'unknown', detail);
  return retry('UPSTREAM_UNAVAILABLE', reason === 'NETWORK' || reason === 'TIMEOUT' ? 'api' : 'unknown', detail);
}

function meaningOfResult(
  { kind, result, evidence, evidence_sha256 }: Extract<QueryAnswer, { kind: 'scored' | 'no_data' }>,
  { now, maxAgeMs, createdScannedTs = null }: ReadingOptions,
): Final | Retry {
  const scanned_ts = result.scanned_ts ?? createdScannedTs;
  // A time ahead of the local clock must not extend the result's life.
  const scannedMs = Math.min(scanned_ts === null ? now : scanned_ts * 1_000, now);
  if (scannedMs + maxAgeMs <= now) return retry('UPSTREAM_UNREADABLE', 'unknown', 'its result is stale');
  return { kind: 'final', outcome: kind === 'scored' ? 'SCORED' : 'NO_DATA', result, scanned_ts, scannedMs, evidence, evidence_sha256 };
}

function retry(reason: RetryReason, cause: 'api' | 'caller' | 'unknown', detail: string): Retry {
  return { kind: 'retry', outcome: 'UNAVAILABLE', reason, cause, detail };
}

/** Exponential backoff by number of failures: 1, 2, 4 … 30 s. */
export function retryDelayMs(failures: number): number {
  return Math.min(1_000 * 2 ** Math.min(Math.max(failures - 1, 0), 20), 30_000);
}

/** A task that `createTask` started or joined. */
export interface Task {
  readonly task_id: string;
  /** Unix seconds; null when the create's answer has none. */
  readonly scanned_ts: number | null;
  /** Its result exists already. */
  readonly has_result: boolean;
}
