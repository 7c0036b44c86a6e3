import type { DecisionView, ResultView, ReviewDetail, ReviewView, ScreeningView, UserView } from '@weir/console';
import { reasonInWords } from '@weir/contracts/reason-words';

/** Most exposures, decisions, resolutions and notes that an answer repeats. */
const most = 10;

/** One screening in a list. */
export function briefOf({ screening_id, kind, status, requested_at, transfer, result, decisions }: ScreeningView): object {
  const last = decisions.at(-1);
  return {
    screening_id,
    kind,
    status,
    requested_at,
    transfer,
    outcome: result?.outcome ?? null,
    score: result?.score ?? null,
    risk_level: result?.risk_level ?? null,
    rule: last?.rule ?? null,
    reason_codes: last?.reason_codes ?? [],
  };
}

/** One review in a list. */
export function reviewOf(review: ReviewView): object {
  const { screening_id, kind, state, reason_codes, transfer, result, held_since, held_seconds, assignee, due_at, overdue } = review;
  const findings = { outcome: result?.outcome ?? null, score: result?.score ?? null, risk_level: result?.risk_level ?? null };
  return { screening_id, kind, state, reason_codes, transfer, ...findings, held_since, held_seconds, assignee, due_at, overdue };
}

/** An exposure of unknown value, or to a sanctioned entity, is never left out for others of known value. */
function weightOf({ risk_type, volume }: ResultView['risk_detail'][number]): number {
  return volume === null || risk_type === 'sanctioned_entity' ? Number.MAX_VALUE : volume;
}

/** A result with its largest exposures. */
export function resultOf(result: ResultView | null): object | null {
  if (result === null) return null;
  const { outcome, score, risk_level, detail_list, risk_detail, address_label, hacking_event, provider, scanned_ts } = result;
  const exposures = risk_detail.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, most);
  return {
    outcome,
    score: score ?? null,
    risk_level: risk_level ?? null,
    provider,
    scanned_at: scanned_ts === null ? null : new Date(scanned_ts * 1_000).toISOString(),
    evidence_sha256: result.evidence_sha256,
    address_label,
    hacking_event,
    findings: detail_list.slice(0, most),
    exposures: exposures.map((exposure) => ({ ...exposure, path: undefined })),
    exposures_left_out: risk_detail.length - exposures.length,
  };
}

/** The cause of the decision, in sentences of Weir and with the stored facts. */
export function explanationOf(screening: ScreeningView): object {
  const { screening_id, kind, status, transfer, subject, subject_type, direction, result, requested_at, deadline_at, audit } = screening;
  return {
    screening_id,
    kind,
    status,
    explanation: sentencesOf(screening),
    transfer,
    subject,
    subject_type,
    direction,
    requested_at,
    deadline_at,
    result: resultOf(result),
    decisions: screening.decisions.slice(-most).map(decisionOf),
    decisions_left_out: Math.max(0, screening.decisions.length - most),
    audit: audit.slice(-most),
  };
}

function decisionOf({ revision, action, rule, reason_codes, policy_hash, decided_at, resolution_id }: DecisionView): object {
  const reasons = reason_codes.map((code) => ({ code, meaning: reasonInWords(code) }));
  return { revision, action, by: resolution_id === null ? 'policy' : 'people', rule, reasons, policy_hash, decided_at };
}

function sentencesOf({ result, decisions, kind }: ScreeningView): string[] {
  const last = decisions.at(-1);
  const of = result === null ? 'The risk API has given no result yet.' : outcomeSentence(result);
  if (last === undefined) return [of, `There is no decision yet, so the ${kind} waits.`];
  const why = last.reason_codes.map((code) => `${code} (${reasonInWords(code)})`).join(', ');
  const who = last.resolution_id === null ? 'The policy' : 'Two people, or one where the rule for reviews asks for one,';
  const effect = { allow: 'It is allowed.', review: 'It is held until people resolve it.', block: 'It is blocked.' }[last.action];
  return [
    of,
    `${who} decided "${last.action}" in revision ${last.revision}${last.rule === null ? '' : `, by the rule ${last.rule}`}.`,
    `The reasons are: ${why === '' ? 'none' : why}.`,
    effect,
  ];
}

function outcomeSentence({ outcome, score, risk_level }: ResultView): string {
  if (outcome === 'SCORED') return `The risk API answered with the level ${risk_level ?? 'unknown'} and the score ${score ?? 'unknown'}.`;
  return `The outcome is ${outcome}, which has no level. Such a result is no statement about the risk.`;
}

interface Statement {
  readonly says: string;
  readonly values?: unknown;
}

/** The facts of a case in the order of a report. Each statement follows from stored evidence; none judges. */
export function draftOf(review: ReviewDetail, user: UserView | null): object {
  const { result, transfer, kind } = review;
  const found = resultOf(result) as { exposures: object[]; exposures_left_out: number } | null;
  const statements: Statement[] = [
    { says: `A ${kind} was screened, requested at ${review.requested_at}.`, values: transfer },
    { says: result === null ? 'There is no result yet.' : outcomeSentence(result) },
    ...(found?.exposures ?? []).map((exposure) => ({ says: 'The result names this exposure.', values: exposure })),
    ...(found !== null && found.exposures_left_out > 0 ? [{ says: `${found.exposures_left_out} smaller exposures are left out.` }] : []),
    ...review.decisions.slice(-most).map((decision) => ({ says: 'This revision was decided.', values: decisionOf(decision) })),
    ...review.resolutions
      .slice(0, most)
      .map((resolution) => ({ says: `A person resolved it; the resolution is ${resolution.state}.`, values: resolution })),
    ...review.notes.slice(0, most).map((each) => ({ says: 'A person wrote this note.', values: each })),
    ...(user === null ? [] : [userStatement(user)]),
  ];
  return {
    screening_id: review.screening_id,
    state: review.state,
    statements,
    open_points: openPoints(review).map((says) => ({ says })),
  };
}

function userStatement({ user_id, kinds, held, open_reviews, first_requested_at }: UserView): Statement {
  const count = kinds.reduce((sum, each) => sum + each.count, 0);
  return {
    says: `Screenings of the customer since ${first_requested_at}: ${count}. Held now: ${held.count}. Open reviews: ${open_reviews}.`,
    values: { user_id },
  };
}

function openPoints({ result, transfer, assignee, overdue, late_result, adverse_update, resolution, state }: ReviewDetail): string[] {
  const points: string[] = [];
  if (result?.risk_level === undefined) points.push('No level is known, so nothing is known of the risk.');
  if (transfer.usd_value === null) points.push('The value in USD is unknown.');
  if (transfer.user_id === null) points.push('The customer is not named.');
  if (assignee === null) points.push('Nobody is assigned.');
  if (overdue) points.push('The review is overdue.');
  if (late_result) points.push('A result came that nobody has decided on.');
  if (adverse_update) points.push('A later result was worse.');
  if (state === 'open' && resolution === null) points.push('Nobody has resolved it.');
  if (state === 'pending_approval') points.push('A second person must approve the resolution.');
  return points;
}
