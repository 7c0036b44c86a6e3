import type { Assessment, Coverage, Level, RiskType } from '@weir/risk-engine';

/** One exposure in a v3 answer. */
interface RiskDetailData {
  readonly entity: string;
  readonly risk_type: RiskType;
  readonly exposure_type: 'direct' | 'indirect';
  readonly hop_num: number;
  /** USD; 0 where no value is known. */
  readonly volume: number;
  readonly percent: number;
  readonly hop_dic?: Readonly<Record<string, readonly string[]>>;
}

/** `data` of a v3 risk score. */
export interface RiskScoreData {
  readonly score: number;
  readonly hacking_event: string;
  readonly detail_list: readonly string[];
  readonly risk_level: Level;
  readonly risk_detail: readonly RiskDetailData[];
  readonly address_label: string;
  /** Empty: this version makes no report. */
  readonly risk_report_url: string;
  /** Extension: tells "nothing bad" from "nothing known". */
  readonly coverage: Coverage;
}

export function riskScoreData(assessment: Assessment): RiskScoreData {
  return {
    score: assessment.score,
    hacking_event: assessment.hackingEvent,
    detail_list: assessment.detailList,
    risk_level: assessment.level,
    risk_detail: assessment.exposures.map(({ entity, riskType, exposureType, hopNum, volume, percent, hopDic }) => ({
      entity,
      risk_type: riskType,
      exposure_type: exposureType,
      hop_num: hopNum,
      volume,
      percent,
      ...(hopDic === undefined ? {} : { hop_dic: hopDic }),
    })),
    address_label: assessment.addressLabel,
    risk_report_url: '',
    coverage: assessment.coverage,
  };
}
