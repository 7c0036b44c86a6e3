import type { Assessment, Coverage, Exposure, Label, Level, RiskType } from '@weir/risk-engine';
import type { DatedLabel } from './label-history.ts';

/** How a computed score came about; a predefined one has none of this. */
export type Grounds = Pick<Assessment, 'contributions' | 'counterfactuals' | 'sides'>;

/** All exposures of one risk type, those not listed too. */
interface RiskTypeSum {
  readonly riskType: RiskType;
  /** 0 to 100. */
  readonly direct: number;
  readonly indirect: number;
  readonly lines: number;
}

/** All that a report tells. Plain data, so that it can be handed to another process. Times are Unix milliseconds. */
export interface Report {
  readonly chain: string;
  readonly kind: 'address' | 'txid';
  readonly subject: string;
  readonly coin: string;
  readonly direction: 'deposit' | 'withdraw';
  /** When the result shown was made; undefined for a predefined one. */
  readonly scannedAtMs: number | undefined;
  /** When the result asked for was made; only where that is no longer kept, and the one shown was made anew. */
  readonly lostScanAtMs: number | undefined;
  readonly madeAtMs: number;
  readonly version: string;
  /** What the target is; only for a predefined result. */
  readonly sandbox: string | undefined;
  readonly score: number;
  readonly level: Level;
  readonly coverage: Coverage;
  readonly detailList: readonly string[];
  readonly hackingEvent: string;
  readonly addressLabel: string;
  readonly grounds: Grounds | undefined;
  /** Of a transaction: whose labels and grounds these are. */
  readonly worstAddress: string | undefined;
  /** Sanctioned entities first, whatever their share; then the largest, largest first. */
  readonly exposures: readonly Exposure[];
  readonly exposureCount: number;
  readonly sums: readonly RiskTypeSum[];
  /** Those that the score was made from, worst first; without dates where only the assessment knows them. */
  readonly labels: readonly (Label | DatedLabel)[];
  /** Those that ended before the scan, began after it, or were not known at it. */
  readonly uncountedLabels: readonly DatedLabel[];
}

/** Two pages of a table; who needs more reads them from the API. */
const maxExposures = 60;
/** Sanctioned entities that are listed however small their share is; the rest of the lines is for the largest. */
const maxSanctioned = 20;

/** The part of a report that is made from exposures (largest first), bounded. */
export function exposureParts(exposures: readonly Exposure[]): Pick<Report, 'exposures' | 'exposureCount' | 'sums'> {
  const sums = new Map<RiskType, { direct: number; indirect: number; lines: number }>();
  for (const { riskType, exposureType, percent } of exposures) {
    const sum = sums.get(riskType) ?? { direct: 0, indirect: 0, lines: 0 };
    sum[exposureType] += percent;
    sum.lines += 1;
    sums.set(riskType, sum);
  }
  const sanctioned = exposures.filter(({ riskType }) => riskType === 'sanctioned_entity');
  return {
    exposures: [...new Set([...sanctioned.slice(0, maxSanctioned), ...exposures])].slice(0, maxExposures),
    exposureCount: exposures.length,
    sums: [...sums]
      .map(([riskType, sum]) => ({ riskType, ...sum }))
      .toSorted((a, b) => b.direct + b.indirect - (a.direct + a.indirect) || (a.riskType < b.riskType ? -1 : 1)),
  };
}
