import { backoff } from '@weir/clock';
import type { ReasonCode, ScreeningRequested, ScreeningScored } from '@weir/contracts';
import { type Final, retryDelayMs } from '@weir/risk-client';

/** The part of a scored event that comes from the risk API, the same for every screening of a lookup. */
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

export function resultOf(final: Final, provider: string): Result {
  if (final.outcome === 'UNSUPPORTED' || final.outcome === 'INVALID') return withoutLevel(final.outcome, final.reason, provider);
  const { outcome, result, scannedTs, raw, rawSha256 } = final;
  return {
    outcome,
    reasons: [],
    score: result.score,
    risk_level: outcome === 'SCORED' ? result.riskLevel : null,
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
    provider,
    scanned_ts: scannedTs,
    evidence: raw,
    evidence_sha256: rawSha256,
  };
}

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

export function faultResult(request: ScreeningRequested, provider: string): Result | undefined {
  if (request.fault === null) return undefined;
  return request.fault === 'UNSUPPORTED_COIN'
    ? withoutLevel('UNSUPPORTED', 'UNSUPPORTED_COIN', provider)
    : withoutLevel('INVALID', 'INVALID_TRANSFER', provider);
}

/**
 * Delay of the next attempt after `tries` failures: 1, 2, 4 … 30 s while a request waits before its deadline; 30 s, 1, 2 … 5 minutes when
 * all are held.
 */
export function lookupDelayMs(tries: number, allHeld: boolean): number {
  if (!allHeld) return retryDelayMs(tries);
  return Math.max(backoff(tries, { firstMs: 1_000, longestMs: 300_000 }), 30_000);
}
