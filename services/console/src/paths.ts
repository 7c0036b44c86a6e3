import type { ScreeningScored } from '@weir/contracts';
import { readEvidence } from '@weir/risk-client';
import type { ExposureView, GroundsView } from '@weir/service-kit';
import type { ResultView } from './view.ts';

/** The ways of the money in one stored answer of the risk API, and what its score is made of. */
export interface Paths {
  /** Of the answer. A process of an earlier version may replace a result and leave its paths. */
  readonly evidence_sha256: string | null;
  /** In the order of `risk_detail`; empty where the answer has no ways. */
  readonly exposures: readonly (Required<Pick<ExposureView, 'counterparty' | 'path'>> & Pick<ExposureView, 'sources'>)[];
  /** Absent where the answer has none. */
  readonly grounds?: GroundsView;
}

/** Read from the evidence of the event. Null where the answer has neither. */
export function pathsOf({ evidence, evidence_sha256, risk_detail, detail_list }: ScreeningScored): Paths | null {
  // Such a score is the lowest, which everybody has.
  if (evidence === null || (risk_detail.length === 0 && detail_list.length === 0)) return null;
  const found = readEvidence(evidence);
  if (found === undefined) return null;
  const { contributions, counterfactuals } = found;
  const exposures = waysOf(found.risk_detail, risk_detail);
  const grounds = contributions && { contributions: [...contributions], counterfactuals: [...(counterfactuals ?? [])] };
  if (exposures.length === 0 && grounds === null) return null;
  return { evidence_sha256, exposures, ...(grounds && { grounds }) };
}

function waysOf(
  found: NonNullable<ReturnType<typeof readEvidence>>['risk_detail'],
  listed: ScreeningScored['risk_detail'],
): Paths['exposures'] {
  const isSame = found.length === listed.length && found.every(({ entity }, n) => entity === listed[n]?.entity);
  if (!isSame || found.every(({ counterparty, path }) => counterparty === null && path === null)) return [];
  return found.map(({ counterparty, path, sources }) => ({
    counterparty,
    path: [...(path ?? [])],
    ...(sources && { sources: [...sources] }),
  }));
}

export function withPaths(result: ResultView | null, paths: Paths | null): ResultView | null {
  if (result === null || paths === null || paths.evidence_sha256 !== result.evidence_sha256) return result;
  const { exposures, grounds } = paths;
  return {
    ...result,
    risk_detail: result.risk_detail.map((exposure, n) => ({ ...exposure, ...exposures[n] })),
    ...(grounds && { grounds }),
  };
}
