import type { Exposure, HistoryWindow, Outcome, RiskLevel, ScreeningDecided, ScreeningScored, Transfer } from '@weir/contracts';
import { parseAmount } from '@weir/chains';
import { decide, type Evidence, type Policy, stricter, valueAtPrice, type Verdict } from '@weir/policy';
import { namesSanctioned } from '@weir/reviews';

/** All input of a decision besides the transfer, as stored beside it: a replay needs nothing else. */
export interface StoredEvidence {
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly risk_level: RiskLevel | null;
  readonly reasons: readonly string[];
  readonly detail_list: readonly string[];
  readonly risk_detail: readonly Exposure[];
  /** Absent in evidence of earlier versions. */
  readonly illicit_usd?: number | null;
  readonly address_label: string;
  readonly hacking_event: string;
  readonly provider: string | null;
  readonly history: readonly HistoryWindow[];
  /** Absent in evidence of earlier versions. */
  readonly known_usd_price?: string | null;
  readonly price_day?: string | null;
  /** Of a renewal, in Unix ms: its price is of that day. Absent otherwise. */
  readonly renewed_at?: number;
  /** The answer about the counterparty, where the transaction is unknown and the result therefore `NO_DATA`. */
  readonly counterparty?: { readonly score: number | null; readonly risk_level: RiskLevel };
}

/** `undefined`: no result came in time. */
export function evidenceOf(scored: ScreeningScored | undefined, transfer: Transfer, history: readonly HistoryWindow[]): StoredEvidence {
  return {
    outcome: scored?.outcome ?? 'UNAVAILABLE',
    score: scored?.score ?? null,
    risk_level: scored?.risk_level ?? null,
    reasons: reasonsOf(scored, transfer),
    detail_list: scored?.detail_list ?? [],
    // JSON has no NaN or infinity: they are unknown now, as at a replay.
    risk_detail: (scored?.risk_detail ?? []).map((exposure) => ({
      ...exposure,
      volume_usd: finite(exposure.volume_usd),
      percent: finite(exposure.percent),
    })),
    illicit_usd: finite(scored?.illicit_usd ?? null),
    address_label: scored?.address_label ?? '',
    hacking_event: scored?.hacking_event ?? '',
    provider: scored?.provider ?? null,
    history,
    known_usd_price: scored?.known_usd_price ?? null,
    price_day: scored?.price_day ?? null,
    ...renewalOf(scored),
    ...counterpartyOf(scored),
  };
}

/** Without a result nobody verified the declared value. */
export function reasonsOf(scored: ScreeningScored | undefined, { usd_value }: Transfer): readonly string[] {
  if (scored !== undefined) return scored.reasons;
  return usd_value === null ? ['DEADLINE_PASSED'] : ['DEADLINE_PASSED', 'PRICE_UNAVAILABLE'];
}

/** A renewal is priced on its own day. */
function renewalOf(scored: ScreeningScored | undefined): Pick<StoredEvidence, 'renewed_at'> {
  return scored?.renews_revision == null ? {} : { renewed_at: scored.requested_at };
}

function counterpartyOf(scored: ScreeningScored | undefined): Pick<StoredEvidence, 'counterparty'> {
  if (scored?.outcome !== 'NO_DATA') return {};
  const answer = scored.questions.find(({ subject_type, outcome }) => subject_type === 'address' && outcome === 'SCORED');
  return answer?.risk_level == null ? {} : { counterparty: { score: answer.score, risk_level: answer.risk_level } };
}

function finite(value: number | null): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Amount × price as text, if the result has a price that the policy accepts. */
export function valueOf(policy: Policy, transfer: Transfer, scored: ScreeningScored, requestedAt: number): string | undefined {
  const requested_at = renewalOf(scored).renewed_at ?? requestedAt;
  const value = valueAtPrice(policy, { ...scored, requested_at, transfer });
  return value === undefined ? undefined : parseAmount(value);
}

type Judged = Pick<Occasion, 'transfer' | 'evidence' | 'requested_at'>;

export function judge(policy: Policy, occasion: Judged): Verdict {
  const { evidence } = occasion;
  const verdict = decide(policy, toPolicyEvidence(occasion));
  if (evidence.counterparty === undefined) return verdict;
  // A policy may allow the unknown transaction, and not the level of its counterparty.
  return stricter(
    verdict,
    decide(policy, toPolicyEvidence({ ...occasion, evidence: { ...evidence, outcome: 'SCORED', ...evidence.counterparty } })),
  );
}

function toPolicyEvidence({ transfer, evidence, requested_at }: Judged): Evidence {
  return { ...evidence, kind: transfer.kind, usd_value: transfer.usd_value, requested_at: evidence.renewed_at ?? requested_at, transfer };
}

/** The policy in force, and the shadow policy. */
export interface Policies {
  readonly active: Policy;
  readonly shadow: Policy | null;
}

/** One revision of a screening, for a decision or a replay. */
export interface Occasion {
  readonly screening_id: string;
  readonly revision: number;
  readonly transfer: Transfer;
  readonly evidence: StoredEvidence;
  /** Unix ms. */
  readonly requested_at: number;
  readonly decided_at: number;
}

/** A pure function of stored data. */
export function toDecision(policies: Policies, occasion: Occasion): ScreeningDecided {
  const { transfer, evidence, revision } = occasion;
  const verdict = judge(policies.active, occasion);
  return {
    screening_id: occasion.screening_id,
    revision,
    kind: transfer.kind,
    action: verdict.action,
    reason_codes: verdict.reason_codes,
    rule: verdict.rule,
    policy_hash: policies.active.hash,
    shadow: policies.shadow === null ? null : shadowAction(policies.shadow, occasion),
    shadow_policy_hash: policies.shadow?.hash ?? null,
    supersedes: revision === 1 ? null : revision - 1,
    outcome: evidence.outcome,
    score: evidence.score,
    risk_level: evidence.risk_level,
    requested_at: occasion.requested_at,
    decided_at: occasion.decided_at,
    transfer,
    history: evidence.history,
    resolution_id: null,
    names_sanctioned: namesSanctioned([...verdict.reason_codes, ...evidence.reasons], evidence.risk_detail),
  };
}

/** A failure of the shadow policy never affects the decision. */
function shadowAction(shadow: Policy, occasion: Occasion): ScreeningDecided['shadow'] {
  try {
    return judge(shadow, occasion).action;
  } catch {
    return null;
  }
}
