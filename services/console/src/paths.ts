import type { ScreeningScored } from '@weir/contracts';
import { readEvidence } from '@weir/risk-client';
import type { ExposureView } from '@weir/service-kit';
import type { ResultView } from './view.ts';

/** The ways of the money in one stored answer of the risk API. */
export interface Paths {
  /** Of the answer. A process of an earlier version may replace a result and leave its paths. */
  readonly evidence_sha256: string | null;
  /** In the order of `risk_detail`. */
  readonly exposures: readonly Required<Pick<ExposureView, 'counterparty' | 'path'>>[];
}

/** Read from the evidence of the event. Null where the answer has none. */
export function pathsOf({ evidence, evidence_sha256, risk_detail }: ScreeningScored): Paths | null {
  if (evidence === null || risk_detail.length === 0) return null;
  const found = readEvidence(evidence)?.risk_detail ?? [];
  const isSame = found.length === risk_detail.length && found.every(({ entity }, n) => entity === risk_detail[n]?.entity);
  if (!isSame || found.every(({ counterparty, path }) => counterparty === null && path === null)) return null;
  return { evidence_sha256, exposures: found.map(({ counterparty, path }) => ({ counterparty, path: path ?? [] })) };
}

export function withPaths(result: ResultView | null, paths: Paths | null): ResultView | null {
  if (result === null || paths === null || paths.evidence_sha256 !== result.evidence_sha256) return result;
  return { ...result, risk_detail: result.risk_detail.map((exposure, n) => ({ ...exposure, ...paths.exposures[n] })) };
}
