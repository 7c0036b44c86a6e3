import type { Assessment } from '@weir/risk-engine';
import type { z } from 'zod';
import { withPaths } from './paths.ts';
import { mostExposures, type scoreV1, type scoreV2, type scoreV2Task, type scoreV3, vendorLevels } from './schemas/answers.ts';

export function scoreV1Data(assessment: Assessment): z.output<typeof scoreV1> {
  return { ...scoreData(assessment), level: vendorLevels[assessment.level] };
}

function scoreData({ score, hacking_event, detail_list, level, coverage }: Assessment) {
  return { score, hacking_event, detail_list: [...detail_list], risk_level: level, coverage };
}

/** `data` of a v2 task, which has no report. */
export function scoreV2TaskData(assessment: Assessment): z.output<typeof scoreV2Task> {
  return { ...scoreData(assessment), risk_detail: listed(assessment.exposures).map(exposureData) };
}

export function scoreV2Data(assessment: Assessment, reportUrl: string): z.output<typeof scoreV2> {
  return { ...scoreV2TaskData(assessment), risk_report_url: reportUrl };
}

export function scoreV3Data(assessment: Assessment, reportUrl: string): z.output<typeof scoreV3> {
  return {
    ...scoreData(assessment),
    risk_detail: sidedExposures(listed(assessment.exposures)),
    address_label: assessment.address_label,
    contradictions: assessment.contradictions.map(contradictionData),
    risk_report_url: reportUrl,
    illicit_usd: roundTo(assessment.illicit_usd, 2),
    bound: roundTo(assessment.bound, 6),
    contributions: assessment.contributions.map(({ key, points }) => ({ key, points: roundTo(points, 6) })),
    counterfactuals: assessment.counterfactuals.map(({ without, score, level }) => ({ without, score, risk_level: level })),
    sides: { in: sideData(assessment.sides.in), out: sideData(assessment.sides.out) },
  };
}

/** With the other fields, an answer has less than the megabyte that clients accept. */
const mostBytes = 900_000;

function sidedExposures(exposures: readonly Exposure[]): z.output<typeof scoreV3>['risk_detail'] {
  const lines = exposures.map((exposure) => {
    const { side, side_percent, counterparty, sources } = exposure;
    return [{ ...exposureData(exposure), side, side_percent, counterparty, sources: [...sources] as string[] }, exposure] as const;
  });
  return withPaths(lines, mostBytes);
}

function sideData({ total, counted, score, upper_score, direct, traced, unread, addresses }: Assessment['sides']['in']) {
  return {
    coverage: total.transfers > 0 ? ('transfers' as const) : ('none' as const),
    transfers: total.transfers,
    usd: roundTo(total.usd, 2),
    counted,
    score: Math.round(score),
    upper_score: Math.round(upper_score),
    direct: roundTo(direct, 6),
    traced: roundTo(traced, 6),
    unread: roundTo(unread, 6),
    addresses,
  };
}

function roundTo(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

type Contradiction = Assessment['contradictions'][number];

function contradictionData({ standing, service, accusation }: Contradiction) {
  const claimOf = ({ probability, categories, sources }: Contradiction['service']) => ({
    probability,
    categories: [...categories],
    sources: [...sources],
  });
  return { standing, service: claimOf(service), accusation: claimOf(accusation) };
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
