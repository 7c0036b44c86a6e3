import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action, ReasonCode, RiskLevel } from '@weir/contracts';
import { applyRules } from './apply-rules.ts';
import { isContradicted, valueAtPrice } from './contradicted.ts';
import { type Evidence, strictness, type Verdict } from './evidence.ts';
import { illicitValueRule } from './illicit-value.ts';
import type { Cell, Policy } from './policy.ts';
import { type Sanction, sanctionOf } from './sanctions.ts';

/** Pure: a replay with the same evidence and policy gives the same verdict. */
export function decide(policy: Policy, evidence: Evidence): Verdict {
  const verdict = decideByValues(policy, evidence);
  // Last, because it decides nothing.
  return evidence.reasons.includes(remark) ? { ...verdict, reason_codes: [...verdict.reason_codes, remark] } : verdict;
}

/** Compares the declared value with amount × price, which also replaces a missing one. */
function decideByValues(policy: Policy, evidence: Evidence): Verdict {
  const known = valueAtPrice(policy, evidence);
  const { usd_value } = evidence;
  const verified = known === undefined ? undefined : largerValue(known, usd_value);
  const declared = decideValue(policy, evidence, verified);
  if (known === undefined) return evidence.reasons.includes(unverified) ? decideUnverified(policy, evidence, declared) : declared;
  const atPrice = decideValue(policy, { ...evidence, usd_value: known }, verified);
  if (usd_value === null) return { ...atPrice, reason_codes: [...atPrice.reason_codes, 'USD_VALUE_FROM_PRICE'] };
  if (!isContradicted(policy, usd_value, known)) return declared;
  const contradicted = 'USD_VALUE_CONTRADICTED' as const;
  const verdict = stricter(declared, atPrice);
  // Reasons stand strongest first, and this one decides where the rest allows.
  return verdict.action === 'allow'
    ? { action: 'review', rule: 'value_tolerance', reason_codes: [contradicted, ...verdict.reason_codes] }
    : { ...verdict, reason_codes: [...verdict.reason_codes, contradicted] };
}

function largerValue(known: string, declared: string | null): string {
  const value = declared === null ? undefined : parseAmount(declared);
  return value !== undefined && compareAmounts(value, known) > 0 ? value : known;
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

function decideValue(policy: Policy, evidence: Evidence, verified?: string): Verdict {
  const sanction = sanctionOf(policy, evidence, verified);
  const byOutcome = withIllicitValue(policy, evidence, decideOutcome(policy, evidence));
  const byTable = sanction === undefined ? byOutcome : withSanction(byOutcome, sanction);
  const mayRelax = hasEvidence(evidence) && sanction === undefined;
  return policy.rules === undefined || policy.rules.length === 0 ? byTable : applyRules(policy, evidence, byTable, mayRelax);
}

const remark = 'CALLER_TIME_OUT_OF_BOUNDS' satisfies ReasonCode;
const unverified = 'PRICE_UNAVAILABLE' satisfies ReasonCode;

/** A rule may be milder than the table only with a level. Only the table allows `NO_DATA`. */
function hasEvidence({ outcome, risk_level }: Evidence): boolean {
  return outcome === 'SCORED' && risk_level !== null;
}

/** A sanction may make a decision stricter, never milder. */
function withSanction(byOutcome: Verdict, { action, rule, codes }: Sanction): Verdict {
  const decides = strictness[action] >= strictness[byOutcome.action];
  return {
    action: decides ? action : byOutcome.action,
    rule: decides ? rule : byOutcome.rule,
    reason_codes: [...codes, ...byOutcome.reason_codes.filter((code) => code !== 'LOCAL_SANCTIONS_MATCH')],
  };
}

function withIllicitValue(policy: Policy, evidence: Evidence, byLevel: Verdict): Verdict {
  const rule = illicitValueRule(policy, evidence);
  if (rule === undefined) return byLevel;
  return byLevel.action === 'allow'
    ? { action: 'review', rule, reason_codes: ['ILLICIT_VALUE', ...byLevel.reason_codes] }
    : { ...byLevel, reason_codes: [...byLevel.reason_codes, 'ILLICIT_VALUE'] };
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
