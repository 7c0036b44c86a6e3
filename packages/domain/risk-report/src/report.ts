import type { Assessment, Contradiction, Coverage, Exposure, Label, Level, RiskType, Side } from '@weir/risk-engine';

/** A label of the subject. Times are Unix ms; null: no limit. */
export interface DatedLabel extends Label {
  readonly valid_from: number | null;
  readonly valid_to: number | null;
}

/** How a score was computed; absent for a predefined one. */
export type Grounds = Pick<Assessment, 'contributions' | 'counterfactuals' | 'sides'>;

/** A predefined one has no side, path or sources. */
export type ReportExposure = Pick<Exposure, 'entity' | 'risk_type' | 'exposure_type' | 'hop_num' | 'volume' | 'percent'> &
  Partial<Pick<Exposure, 'side' | 'side_percent' | 'suspected' | 'counterparty' | 'path' | 'sources'>>;

/** All exposures of one risk type on one side, including those not listed. */
interface RiskTypeSum {
  readonly side?: Side;
  readonly risk_type: RiskType;
  /** 0 to 100. */
  readonly direct: number;
  readonly indirect: number;
  readonly lines: number;
}

/** The content of a report, as plain data for another process. Times are Unix ms. */
export interface Report {
  readonly chain: string;
  readonly kind: 'address' | 'txid';
  readonly subject: string;
  readonly coin: string;
  readonly direction: 'deposit' | 'withdraw';
  /** When the shown result was made; undefined for a predefined one. */
  readonly scannedAtMs: number | undefined;
  /** When the requested result was made, if it is no longer stored and the shown one is new. */
  readonly lostScanAtMs: number | undefined;
  readonly madeAtMs: number;
  readonly version: string;
  /** Describes the target of a predefined result. */
  readonly sandbox: string | undefined;
  readonly score: number;
  readonly level: Level;
  readonly coverage: Coverage;
  readonly detail_list: readonly string[];
  readonly hacking_event: string;
  readonly address_label: string;
  readonly grounds: Grounds | undefined;
  /** The address of a transaction that the labels and grounds belong to. */
  readonly worstAddress: string | undefined;
  /** Sanctioned entities first, then by share. */
  readonly exposures: readonly ReportExposure[];
  readonly exposureCount: number;
  readonly sums: readonly RiskTypeSum[];
  /** The labels that the score used, worst first; without dates if only the assessment has them. */
  readonly labels: readonly (Label | DatedLabel)[];
  /** Of the same address; labels of the weaker claim are among `uncountedLabels`. */
  readonly contradictions: readonly Contradiction[];
  /** Labels that ended before the scan, began after it, or were unknown to it. */
  readonly uncountedLabels: readonly DatedLabel[];
}

/** In per cent, of its side where it has one. */
export function shareOf({ side_percent, percent }: ReportExposure): number {
  return side_percent ?? percent;
}

/** Two pages of a table; the API gives all. */
const maxExposures = 60;
/** Sanctioned entities listed whatever their share; the other lines are for the largest exposures. */
const maxSanctioned = 20;

/** The report's parts about exposures (given largest first), bounded. */
export function exposureParts(exposures: readonly ReportExposure[]): Pick<Report, 'exposures' | 'exposureCount' | 'sums'> {
  const sums = new Map<string, { side?: Side; risk_type: RiskType; direct: number; indirect: number; lines: number }>();
  for (const exposure of exposures) {
    const { side, risk_type, exposure_type } = exposure;
    const key = `${side ?? ''} ${risk_type}`;
    const sum = sums.get(key) ?? { ...(side && { side }), risk_type, direct: 0, indirect: 0, lines: 0 };
    sum[exposure_type] += shareOf(exposure);
    sum.lines += 1;
    sums.set(key, sum);
  }
  const sanctioned = exposures.filter(({ risk_type }) => risk_type === 'sanctioned_entity');
  return {
    exposures: [...new Set([...sanctioned.slice(0, maxSanctioned), ...exposures])].slice(0, maxExposures),
    exposureCount: exposures.length,
    sums: [...sums]
      .toSorted(([a, one], [b, other]) => other.direct + other.indirect - (one.direct + one.indirect) || (a < b ? -1 : 1))
      .map(([, sum]) => sum),
  };
}
