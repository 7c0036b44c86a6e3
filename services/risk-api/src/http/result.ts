import type { Assessment } from '@weir/risk-engine';
import type { z } from 'zod';
import { mostExposures, type scoreV1, type scoreV2, type scoreV2Task, type scoreV3 } from './schemas/answers.ts';

export function scoreV1Data({ score, hacking_event, detail_list, level, coverage }: Assessment): z.output<typeof scoreV1> {
  return { score, hacking_event, detail_list: [...detail_list], risk_level: level, coverage };
}

/** `data` of a v2 task, which has no report. */
export function scoreV2TaskData(assessment: Assessment): z.output<typeof scoreV2Task> {
  return { ...scoreV1Data(assessment), risk_detail: listed(assessment.exposures).map(exposureData) };
}

export function scoreV2Data(assessment: Assessment, reportUrl: string): z.output<typeof scoreV2> {
  return { ...scoreV2TaskData(assessment), risk_report_url: reportUrl };
}

export function scoreV3Data(assessment: Assessment, reportUrl: string): z.output<typeof scoreV3> {
  return {
    ...scoreV1Data(assessment),
    risk_detail: listed(assessment.exposures).map((exposure) => ({ ...exposureData(exposure), ...pathOf(exposure) })),
    address_label: assessment.address_label,
    risk_report_url: reportUrl,
  };
}

type Exposure = Assessment['exposures'][number];

/** The listed exposures, in their order. A hub has thousands of entities, and no sanctioned one may be cut. */
function listed(exposures: readonly Exposure[]): readonly Exposure[] {
  if (exposures.length <= mostExposures) return exposures;
  const weight = ({ risk_type, exposure_type }: Exposure): number =>
    risk_type !== 'sanctioned_entity' ? 2 : exposure_type === 'direct' ? 0 : 1;
  const kept = new Set(exposures.toSorted((a, b) => weight(a) - weight(b)).slice(0, mostExposures));
  return exposures.filter((exposure) => kept.has(exposure));
}

function exposureData({ entity, risk_type, exposure_type, hop_num, volume, percent }: Exposure) {
  return { entity, risk_type, exposure_type, hop_num, volume, percent };
}

function pathOf({ hop_dic }: Exposure): { hop_dic?: Record<string, string[]> } {
  return hop_dic === undefined ? {} : { hop_dic: Object.fromEntries(Object.entries(hop_dic).map(([hop, at]) => [hop, [...at]])) };
}
