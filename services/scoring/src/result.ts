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
  | 'illicit_usd'
  | 'address_label'
  | 'hacking_event'
  | 'provider'
  | 'scanned_ts'
  | 'evidence'
  | 'evidence_sha256'
>;

export function resultOf(final: Final, provider: string): Result {
  if (final.outcome === 'UNSUPPORTED' || final.outcome === 'INVALID') return withoutLevel(final.outcome, final.reason, provider);
  const { outcome, result, scanned_ts, evidence, evidence_sha256 } = final;
  const { score, risk_level, detail_list, risk_detail, illicit_usd, address_label, hacking_event } = result;
  return {
    outcome,
    reasons: [],
    score,
    risk_level: outcome === 'SCORED' ? risk_level : null,
    detail_list,
    risk_detail: risk_detail.map(({ hop_dic: _hops, counterparty: _address, path: _path, sources: _sources, ...exposure }) => exposure),
    illicit_usd,
    address_label,
    hacking_event,
    provider,
    scanned_ts,
    evidence,
    evidence_sha256,
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
    illicit_usd: null,
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
