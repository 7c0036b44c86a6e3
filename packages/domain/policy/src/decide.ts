import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action, ReasonCode, RiskLevel } from '@weir/contracts';
import { applyRules } from './apply-rules.ts';
import { isContradicted, valueAtPrice } from './contradicted.ts';
import { type Evidence, strictness, type Verdict } from './evidence.ts';
import type { Cell, Policy } from './policy.ts';

/** Pure: a replay with the same evidence and policy gives the same verdict. */
export function decide(policy: Policy, evidence: Evidence): Verdict {
  const verdict = decideByValues(policy, evidence);
  // Last, because it decides nothing.
  return evidence.reasons.includes(remark) ? { ...verdict, reason_codes: [...verdict.reason_codes, remark] } : verdict;
}

/** Compares the declared value with amount × price, which also replaces a missing one. */
function decideByValues(policy: Policy, evidence: Evidence): Verdict {
  const declared = decideValue(policy, evidence);
  const known = valueAtPrice(policy, evidence);
  const { usd_value } = evidence;
  if (known === undefined) return evidence.reasons.includes(unverified) ? decideUnverified(policy, evidence, declared) : declared;
  const atPrice = decideValue(policy, { ...evidence, usd_value: known });
  if (usd_value === null) return { ...atPrice, reason_codes: [...atPrice.reason_codes, 'USD_VALUE_FROM_PRICE'] };
  if (!isContradicted(policy, usd_value, known)) return declared;
  const contradicted = 'USD_VALUE_CONTRADICTED' as const;
  const verdict = stricter(declared, atPrice);
  // Reasons stand strongest first, and this one decides where the rest allows.
  return verdict.action === 'allow'
    ? { action: 'review', rule: 'value_tolerance', reason_codes: [contradicted, ...verdict.reason_codes] }
    : { ...verdict, reason_codes: [...verdict.reason_codes, contradicted] };
}

/** The declared value may be too low, so the transfer must pass with an unknown one too. */
function decideUnverified(policy: Policy, evidence: Evidence, declared: Verdict): Verdict {
  if (declared.action === 'block') return declared;
  const verdict = stricter(declared, decideValue(policy, { ...evidence, usd_value: null }));
  const reason_codes: ReasonCode[] = verdict === declared ? [...verdict.reason_codes, unverified] : [unverified, ...verdict.reason_codes];
  return { ...verdict, reason_codes };
}

/** The first where both are as strict. */
export function stricter(a: Verdict, b: Verdict): Verdict {
  return strictness[b.action] > strictness[a.action] ? b : a;
}

function decideValue(policy: Policy, evidence: Evidence): Verdict {
  const sanctions = sanctionsOf(evidence);
  const byTable = sanctions.length > 0 ? withSanction(policy, evidence, sanctions) : decideOutcome(policy, evidence);
  const mayRelax = hasEvidence(evidence) && sanctions.length === 0;
  return policy.rules === undefined || policy.rules.length === 0 ? byTable : applyRules(policy, evidence, byTable, mayRelax);
}

const remark = 'CALLER_TIME_OUT_OF_BOUNDS' satisfies ReasonCode;
const unverified = 'PRICE_UNAVAILABLE' satisfies ReasonCode;

/** Imported lists need no result; the result may name a sanctioned entity too. */
function sanctionsOf({ reasons, risk_detail }: Evidence): ReasonCode[] {
  return [
    ...(reasons.includes('LOCAL_SANCTIONS_MATCH') ? (['LOCAL_SANCTIONS_MATCH'] as const) : []),
    ...(risk_detail.some(isDirectSanctioned) ? (['SANCTIONED_EXPOSURE'] as const) : []),
  ];
}

/** A rule may be milder than the table only with a level. Only the table allows `NO_DATA`. */
function hasEvidence({ outcome, risk_level }: Evidence): boolean {
  return outcome === 'SCORED' && risk_level !== null;
}

/** A sanction may make a decision stricter, never milder. */
function withSanction(policy: Policy, evidence: Evidence, sanctions: readonly ReasonCode[]): Verdict {
  const byOutcome = decideOutcome(policy, evidence);
  const bySanction = policy.sanctioned_exposure[evidence.kind];
  const decides = strictness[bySanction] >= strictness[byOutcome.action];
  return {
    action: decides ? bySanction : byOutcome.action,
    rule: decides ? `sanctioned_exposure.${evidence.kind}` : byOutcome.rule,
    reason_codes: [...sanctions, ...byOutcome.reason_codes.filter((code) => code !== 'LOCAL_SANCTIONS_MATCH')],
  };
}

function decideOutcome(policy: Policy, evidence: Evidence): Verdict {
  const { kind, outcome, risk_level } = evidence;
  if (outcome === 'NO_DATA') {
    return { ...fromCell(policy[kind].NO_DATA, `${kind}.NO_DATA`, evidence.usd_value), reason_codes: ['NO_DATA'] };
  }
  if (outcome !== 'SCORED') {
    return { action: policy[kind][outcome], rule: `${kind}.${outcome}`, reason_codes: heldReasons(outcome, evidence.reasons) };
  }
  if (risk_level === null) {
    // Contradicts itself, so it counts as unreadable.
    return { action: policy[kind].UNAVAILABLE, rule: `${kind}.UNAVAILABLE`, reason_codes: ['UPSTREAM_UNREADABLE'] };
  }
  return { ...fromCell(policy[kind][risk_level], `${kind}.${risk_level}`, evidence.usd_value), reason_codes: [levelReason[risk_level]] };
}

const levelReason: Readonly<Record<RiskLevel, ReasonCode>> = {
  Severe: 'LEVEL_SEVERE',
  High: 'LEVEL_HIGH',
  Moderate: 'LEVEL_MODERATE',
  Low: 'LEVEL_LOW',
};

/** One hop is direct, even where a provider calls it indirect. */
function isDirectSanctioned(exposure: Evidence['risk_detail'][number]): boolean {
  return exposure.risk_type === 'sanctioned_entity' && (exposure.exposure_type === 'direct' || exposure.hop_num <= 1);
}

function fromCell(cell: Cell, rule: string, usd_value: string | null): { action: Action; rule: string } {
  if (typeof cell === 'string') return { action: cell, rule };
  const value = usd_value === null ? undefined : parseAmount(usd_value);
  if (value === undefined) return { action: cell.unknown_value, rule: `${rule}.unknown_value` };
  const limit = parseAmount(cell.review_from_usd) ?? '0';
  return compareAmounts(value, limit) >= 0
    ? { action: 'review', rule: `${rule}.review_from_usd` }
    : { action: cell.below, rule: `${rule}.below` };
}

const outcomeReason = { UNAVAILABLE: 'UPSTREAM_UNAVAILABLE', UNSUPPORTED: 'UNSUPPORTED_COIN', INVALID: 'INVALID_TRANSFER' } as const;

function heldReasons(outcome: keyof typeof outcomeReason, reasons: readonly string[]): ReasonCode[] {
  const found = reasons.filter((reason) => reason !== remark && reason !== unverified) as ReasonCode[];
  return found.length > 0 ? found : [outcomeReason[outcome]];
}
