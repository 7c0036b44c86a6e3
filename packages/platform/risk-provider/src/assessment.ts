import type { RiskExposure, RiskLevel, RiskResult, Unavailable } from '@weir/risk-client';
import { unavailable } from '@weir/risk-client/raw';
import type { Explanation, Mapped } from './port.ts';

/** An answer of a provider in the words of Weir. */
export interface Assessment {
  readonly level: RiskLevel;
  readonly score: number;
  readonly exposures: readonly RiskExposure[];
  /** Empty: none. */
  readonly label: string;
  /** The provider knows nothing of the subject. */
  readonly isUnknown: boolean;
  readonly mapped: readonly Mapped[];
}

const details: ReadonlyMap<string, string> = new Map([
  ['sanctioned_entity', 'Sanctioned Entity'],
  ['mixer', 'Mixer'],
  ['gambling', 'Gambling'],
  ['risk_exchange', 'Risk Exchange'],
  ['illicit_activity', 'Involved Illicit Activity'],
]);

/** Unreadable where the parts contradict each other: a direct exposure to a sanctioned entity is never Low. */
export function explanationOf({ level, score, exposures, label, isUnknown, mapped }: Assessment): Explanation | Unavailable {
  const direct = exposures.filter(({ exposure_type, hop_num }) => exposure_type === 'direct' || hop_num <= 1);
  const detail_list = [...new Set(direct.flatMap(({ risk_type }) => details.get(risk_type) ?? []))];
  if (level === 'Low' && direct.some(({ risk_type }) => risk_type === 'sanctioned_entity'))
    return unavailable('UNREADABLE', 'a sanctioned entity contradicts the level');
  if (isUnknown && (exposures.length > 0 || level !== 'Low')) return unavailable('UNREADABLE', 'an empty answer contradicts its level');
  const result: RiskResult = {
    score,
    risk_level: level,
    hacking_event: '',
    detail_list,
    risk_detail: exposures,
    address_label: label,
    illicit_usd: null,
    contradictions: null,
    contributions: null,
    counterfactuals: null,
    scanned_ts: null,
    coverage: isUnknown ? 'none' : null,
  };
  return { result, mapped };
}

export function exposureOf(
  of: Pick<RiskExposure, 'entity' | 'risk_type' | 'exposure_type' | 'hop_num'> & Partial<RiskExposure>,
): RiskExposure {
  return { volume_usd: null, percent: null, hop_dic: null, side: null, counterparty: null, path: null, sources: null, ...of };
}

/** The risk type of a category. A category without a risk type keeps its own name. */
export function riskTypeOf(category: { readonly risk_type: string | null; readonly names: readonly string[] }): string {
  return category.risk_type ?? (category.names[0] ?? '').replaceAll(/[^a-z0-9]+/g, '_');
}
