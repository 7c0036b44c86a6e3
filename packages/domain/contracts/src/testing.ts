import { questionOf } from './question.ts';
import { screeningId } from './ids.ts';
import type { Kind, ReviewResolved, ScreeningDecided, ScreeningRequested, ScreeningScored } from './index.ts';

/** Far enough ahead that nothing is overdue. */
const farDeadline = Date.UTC(2100, 0, 1);
const requestedAt = Date.UTC(2026, 0, 1);

/** The request for transfer `id`. */
export function requested(id: string, over: Partial<ScreeningRequested> = {}): ScreeningRequested {
  const kind: Kind = over.kind ?? 'deposit';
  const address = '0x28c6c06298d514db089934071355e5743bf21d60';
  return {
    screening_id: screeningId(kind, id),
    attempt: 1,
    renews_revision: null,
    token_id: null,
    warnings: [],
    kind,
    chain: 'ethereum',
    coin: 'ETH',
    subject_type: 'address',
    subject: address,
    direction: kind === 'deposit' ? 'deposit' : 'withdraw',
    lane: kind,
    fault: null,
    requested_at: requestedAt,
    deadline_at: farDeadline,
    transfer: {
      kind,
      source_id: id,
      chain: 'ethereum',
      coin: 'ETH',
      txid: null,
      from_address: address,
      to_address: address,
      amount: '1',
      usd_value: '5000',
      user_id: null,
      memo: null,
      occurred_at: requestedAt,
    },
    // Keeps the question in line with the transfer.
    ...(over.transfer && questionOf(over.transfer)),
    ...over,
  };
}

/** A result for `id`: `Low` unless `over` says otherwise. */
export function scored(id: string, attempt = 1, sequence = 1, over: Partial<ScreeningScored> = {}): ScreeningScored {
  const {
    lane: _,
    fault: __,
    warnings: _____,
    chain: ___,
    coin: ____,
    ...asked
  } = requested(id, over.kind === undefined ? {} : { kind: over.kind });
  return {
    ...asked,
    attempt,
    sequence,
    outcome: 'SCORED',
    reasons: [],
    score: 3,
    risk_level: 'Low',
    detail_list: [],
    risk_detail: [],
    illicit_usd: null,
    address_label: '',
    hacking_event: '',
    provider: 'risk.example',
    scanned_ts: 1_767_225_600,
    evidence: '{}',
    evidence_sha256: '44136f',
    scored_at: requestedAt,
    reused: false,
    reported_at: null,
    questions: [],
    known_usd_price: null,
    price_day: null,
    // Keeps the question in line with the transfer.
    ...(over.transfer && questionOf(over.transfer)),
    ...over,
  };
}

/** The first decision for `id`: allows `Low` unless `over` says otherwise. */
export function decided(id: string, over: Partial<ScreeningDecided> = {}): ScreeningDecided {
  const { screening_id, kind, requested_at, transfer } = requested(id, over.kind === undefined ? {} : { kind: over.kind });
  return {
    screening_id,
    revision: 1,
    kind,
    action: 'allow',
    reason_codes: ['LEVEL_LOW'],
    rule: null,
    policy_hash: 'c0ffee',
    shadow: null,
    shadow_policy_hash: null,
    supersedes: null,
    outcome: 'SCORED',
    score: 3,
    risk_level: 'Low',
    requested_at,
    decided_at: requested_at + 1_000,
    transfer,
    history: [],
    resolution_id: null,
    names_sanctioned: false,
    ...over,
  };
}

/** Scoring's event without a result. */
export function unavailable(id: string, attempt = 1, sequence = 1, reasons: readonly string[] = ['UPSTREAM_UNAVAILABLE']): ScreeningScored {
  return scored(id, attempt, sequence, { outcome: 'UNAVAILABLE', reasons, score: null, risk_level: null });
}

/** One reviewer allows revision 1 of this screening. */
export function resolved(screening_id: string, over: Partial<ReviewResolved> = {}): ReviewResolved {
  const allow = { revision: 1, action: 'allow', reviewer: 'r', approver: null, reason: 'known', resolved_at: 1 } as const;
  return { screening_id, ...allow, resolution_id: '', approved_at: null, ...over };
}
