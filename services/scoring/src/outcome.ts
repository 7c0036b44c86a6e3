import type { ReasonCode, ScreeningRequested, ScreeningScored } from '@weir/contracts';
import type { QueryAnswer, Refusal } from '@weir/risk-client';

/** The part of a scored event that comes from the risk API, the same for every screening that waited for it. */
export type Result = Pick<
  ScreeningScored,
  | 'outcome'
  | 'reasons'
  | 'score'
  | 'risk_level'
  | 'detail_list'
  | 'risk_detail'
  | 'address_label'
  | 'hacking_event'
  | 'provider'
  | 'scanned_ts'
  | 'evidence'
  | 'evidence_sha256'
>;

/** What to do after an answer. */
export type Step =
  /** The question is answered. `goodUntil` (unix ms) is null for what is not kept for later. */
  | { readonly kind: 'done'; readonly result: Result; readonly goodUntil: number | null }
  /** Asked again later; `trouble` is what a hold will say. `certain` when it can only be the API's fault and not the subject's. */
  | { readonly kind: 'again'; readonly trouble: ReasonCode; readonly certain: boolean }
  | { readonly kind: 'limited'; readonly window: 'second' | 'day'; readonly retryAfterMs: number }
  | { readonly kind: 'poll' }
  /** The task is not known any more and must be created anew. */
  | { readonly kind: 'recreate' };

/** Codes by which the API refuses whoever asks, whatever is asked. */
const refusesUs: ReadonlySet<string> = new Set(['InvalidApiKey', 'ExpiredPlan']);

type Answered = Exclude<QueryAnswer, Refusal>;

/** What a query's answer means. `createdScannedTs` is the create's, for answers that do not carry their own. */
export function afterQuery(
  answer: QueryAnswer,
  context: { provider: string; now: number; maxAgeMs: number; createdScannedTs: number | null },
): Step {
  switch (answer.kind) {
    case 'scored':
    case 'no_data':
      return afterResult(answer, context);
    case 'running':
      return { kind: 'poll' };
    case 'not_found':
      return { kind: 'recreate' };
    case 'limited':
    case 'rejected':
    case 'unsupported':
    case 'invalid':
    case 'unavailable':
      return afterRefusal(answer, context.provider);
  }
}

/** What a refusal of a create or a query means. An answer that cannot be understood is never a level. */
export function afterRefusal(refusal: Refusal, provider: string): Step {
  switch (refusal.kind) {
    case 'limited':
      return refusal;
    case 'unsupported':
      return { kind: 'done', result: withoutLevel('UNSUPPORTED', 'UNSUPPORTED_COIN', provider), goodUntil: null };
    case 'invalid':
      return { kind: 'done', result: withoutLevel('INVALID', 'INVALID_TRANSFER', provider), goodUntil: null };
    case 'rejected':
      return { kind: 'again', trouble: 'UPSTREAM_REJECTED', certain: refusesUs.has(refusal.code) };
    case 'unavailable':
      return {
        kind: 'again',
        trouble: refusal.reason === 'UNREADABLE' ? 'UPSTREAM_UNREADABLE' : 'UPSTREAM_UNAVAILABLE',
        certain: refusal.reason === 'NETWORK' || refusal.reason === 'TIMEOUT',
      };
  }
}

function afterResult(
  answer: Extract<Answered, { kind: 'scored' | 'no_data' }>,
  context: { provider: string; now: number; maxAgeMs: number; createdScannedTs: number | null },
): Step {
  const { result } = answer;
  const scannedTs = result.scannedTs ?? context.createdScannedTs;
  // A time ahead of ours must not make a result last longer.
  const scannedMs = Math.min(scannedTs === null ? context.now : scannedTs * 1_000, context.now);
  const goodUntil = scannedMs + context.maxAgeMs;
  // A stale result is no evidence for today.
  if (goodUntil <= context.now) return { kind: 'again', trouble: 'UPSTREAM_UNREADABLE', certain: false };
  const scored = answer.kind === 'scored';
  return {
    kind: 'done',
    goodUntil,
    result: {
      outcome: scored ? 'SCORED' : 'NO_DATA',
      reasons: [],
      score: result.score,
      risk_level: scored ? result.riskLevel : null,
      detail_list: [...result.detailList],
      risk_detail: result.riskDetail.map((exposure) => ({
        entity: exposure.entity,
        risk_type: exposure.riskType,
        exposure_type: exposure.exposureType,
        hop_num: exposure.hopNum,
        volume_usd: exposure.volumeUsd,
        percent: exposure.percent,
      })),
      address_label: result.addressLabel,
      hacking_event: result.hackingEvent,
      provider: context.provider,
      scanned_ts: scannedTs,
      evidence: answer.raw,
      evidence_sha256: answer.rawSha256,
    },
  };
}

/** A result that has no level, and says why. */
export function withoutLevel(
  outcome: 'UNAVAILABLE' | 'UNSUPPORTED' | 'INVALID',
  reasons: ReasonCode | readonly ReasonCode[],
  provider: string,
): Result {
  return {
    outcome,
    reasons: typeof reasons === 'string' ? [reasons] : [...reasons],
    score: null,
    risk_level: null,
    detail_list: [],
    risk_detail: [],
    address_label: '',
    hacking_event: '',
    provider,
    scanned_ts: null,
    evidence: null,
    evidence_sha256: null,
  };
}

/** A fault that the intake found, as a result. */
export function faultResult(request: ScreeningRequested, provider: string): Result | undefined {
  if (request.fault === null) return undefined;
  return request.fault === 'UNSUPPORTED_COIN'
    ? withoutLevel('UNSUPPORTED', 'UNSUPPORTED_COIN', provider)
    : withoutLevel('INVALID', 'INVALID_TRANSFER', provider);
}

/**
 * How long to wait before a question is asked again after `tries` failures: 1, 2, 4 … 30 s while somebody still hopes for it
 * before a deadline, and 30 s, 1, 2 … 5 minutes when all who wait are held.
 */
export function retryDelayMs(tries: number, allHeld: boolean): number {
  const base = 1_000 * 2 ** Math.min(Math.max(tries - 1, 0), 20);
  return allHeld ? Math.min(Math.max(base, 30_000), 300_000) : Math.min(base, 30_000);
}
