import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action, Exposure, Kind, Outcome, ReasonCode, RiskLevel } from '@weir/contracts';
import type { Cell, Policy } from './policy.ts';

/** What a decision is made of: the stored result and the transfer. */
export interface Evidence {
  readonly kind: Kind;
  readonly outcome: Outcome;
  /** Only with the outcome `SCORED`. */
  readonly riskLevel: RiskLevel | null;
  readonly riskDetail: readonly Pick<Exposure, 'risk_type' | 'exposure_type' | 'hop_num'>[];
  /** Why there is no level. */
  readonly reasons: readonly string[];
  /** Decimal string; null when unknown. */
  readonly usdValue: string | null;
}

export interface Verdict {
  readonly action: Action;
  /** Why, strongest first. Never empty. */
  readonly reasonCodes: ReasonCode[];
  /** The line of the policy that decided, e.g. `deposit.Moderate.review_from_usd`. */
  readonly rule: string;
}

/** The action for a piece of evidence. Pure: the same evidence and policy give the same verdict, now and at a replay. */
export function decide(policy: Policy, evidence: Evidence): Verdict {
  const { kind } = evidence;
  const byOutcome = decideOutcome(policy, evidence);
  if (!evidence.riskDetail.some(isDirectSanctioned)) return byOutcome;
  const bySanction = policy.sanctioned_exposure[kind];
  // The sanctions line may make a decision stricter, never milder.
  const decides = strictness[bySanction] >= strictness[byOutcome.action];
  return {
    action: decides ? bySanction : byOutcome.action,
    rule: decides ? `sanctioned_exposure.${kind}` : byOutcome.rule,
    reasonCodes: ['SANCTIONED_EXPOSURE', ...byOutcome.reasonCodes],
  };
}

function decideOutcome(policy: Policy, evidence: Evidence): Verdict {
  const { kind, outcome, riskLevel } = evidence;
  if (outcome === 'NO_DATA') {
    return { ...fromCell(policy[kind].NO_DATA, `${kind}.NO_DATA`, evidence.usdValue), reasonCodes: ['NO_DATA'] };
  }
  if (outcome !== 'SCORED') {
    return { action: policy[kind][outcome], rule: `${kind}.${outcome}`, reasonCodes: heldReasons(outcome, evidence.reasons) };
  }
  if (riskLevel === null) {
    // A scored result without a level contradicts itself: it is held like one that could not be read.
    return { action: policy[kind].UNAVAILABLE, rule: `${kind}.UNAVAILABLE`, reasonCodes: ['UPSTREAM_UNREADABLE'] };
  }
  return { ...fromCell(policy[kind][riskLevel], `${kind}.${riskLevel}`, evidence.usdValue), reasonCodes: [levelReason[riskLevel]] };
}

const strictness: Readonly<Record<Action, number>> = { allow: 0, review: 1, block: 2 };

const levelReason: Readonly<Record<RiskLevel, ReasonCode>> = {
  Severe: 'LEVEL_SEVERE',
  High: 'LEVEL_HIGH',
  Moderate: 'LEVEL_MODERATE',
  Low: 'LEVEL_LOW',
};

/** One hop is direct, also where a provider calls it indirect. */
function isDirectSanctioned(exposure: Evidence['riskDetail'][number]): boolean {
  return exposure.risk_type === 'sanctioned_entity' && (exposure.exposure_type === 'direct' || exposure.hop_num <= 1);
}

function fromCell(cell: Cell, rule: string, usdValue: string | null): { action: Action; rule: string } {
  if (typeof cell === 'string') return { action: cell, rule };
  const value = usdValue === null ? undefined : parseAmount(usdValue);
  if (value === undefined) return { action: cell.unknown_value, rule: `${rule}.unknown_value` };
  const limit = parseAmount(cell.review_from_usd) ?? '0';
  return compareAmounts(value, limit) >= 0
    ? { action: 'review', rule: `${rule}.review_from_usd` }
    : { action: cell.below, rule: `${rule}.below` };
}

const outcomeReason = { UNAVAILABLE: 'UPSTREAM_UNAVAILABLE', UNSUPPORTED: 'UNSUPPORTED_COIN', INVALID: 'INVALID_TRANSFER' } as const;

function heldReasons(outcome: keyof typeof outcomeReason, reasons: readonly string[]): ReasonCode[] {
  return reasons.length > 0 ? ([...reasons] as ReasonCode[]) : [outcomeReason[outcome]];
}
