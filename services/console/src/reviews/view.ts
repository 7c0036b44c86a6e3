import type { Decision } from '../screening-update.ts';
import { shown } from '../query.ts';
import type { DecisionView, ResultView, ScreeningView } from '../view.ts';
import { type Resolution, type ResolutionState, type Standing, stateOf } from './standing.ts';

/**
 * `open`: held or with an adverse update, waits for a resolution; `pending_approval`: waits for a second person; `approved`: decision has
 * not applied it yet; `resolved`: decided by people; `not_held`: decided by the policy.
 */
type ReviewState = 'open' | 'pending_approval' | 'approved' | 'resolved' | 'not_held';

/** `id` is role and token id; `name` is the token's. */
interface PersonView {
  readonly id: string;
  readonly name: string;
}

export interface ResolutionView {
  readonly resolution_id: string;
  /** The revision it resolves. */
  readonly revision: number;
  /** `review`: held again. */
  readonly action: 'allow' | 'block' | 'review';
  readonly reason: string;
  readonly state: ResolutionState;
  readonly resolved_by: PersonView;
  readonly resolved_at: string;
  readonly needs_approval: boolean;
  readonly answered_by: PersonView | null;
  readonly answer_reason: string | null;
  readonly answered_at: string | null;
}

/** One review in a list; times are RFC 3339, UTC. */
export interface ReviewView {
  readonly screening_id: string;
  readonly kind: 'deposit' | 'withdrawal';
  readonly state: ReviewState;
  /** The latest revision, to which a resolution applies. */
  readonly revision: number;
  readonly action: 'allow' | 'block' | 'review' | null;
  readonly reason_codes: readonly string[];
  readonly transfer: ScreeningView['transfer'];
  readonly subject: string | null;
  /** The latest result, even one after the people's decision. */
  readonly result: ResultView | null;
  /** A result came after the people's decision, or differs from the one that they knew. It changes nothing by itself. */
  readonly late_result: boolean;
  /** A result after an allow was worse. The policy has since blocked or held it; a transfer that people allowed stays allowed. */
  readonly adverse_update: boolean;
  readonly requested_at: string;
  /** Start of the current hold; null when not held. */
  readonly held_since: string | null;
  readonly held_seconds: number | null;
  readonly assignee: string | null;
  readonly due_at: string | null;
  readonly overdue: boolean;
  /** The latest, in any state. */
  readonly resolution: ResolutionView | null;
}

export interface NoteView {
  readonly note_id: string;
  readonly text: string;
  readonly written_by: PersonView;
  readonly written_at: string;
}

/** One review with its history, latest first. */
export interface ReviewDetail extends ReviewView {
  readonly decisions: readonly DecisionView[];
  readonly resolutions: readonly ResolutionView[];
  readonly notes: readonly NoteView[];
}

export interface ReviewRow extends Standing {
  readonly requested_at: Date;
  readonly assignee: string | null;
  readonly due_at: Date | null;
}

export function toReview(row: ReviewRow, last: Resolution | undefined, now: number): ReviewView {
  const { request, result, decisions, action, revision } = row;
  const latest = decisions[String(revision)];
  const since = action === 'review' ? heldSince(row) : null;
  return {
    screening_id: row.screening_id,
    kind: request.kind,
    state: reviewState(row, latest, last),
    revision,
    action,
    reason_codes: latest?.reason_codes ?? [],
    transfer: request.transfer,
    subject: request.subject,
    result,
    late_result: isLate(result, latest),
    adverse_update: row.adverse_update,
    requested_at: row.requested_at.toISOString(),
    held_since: since,
    held_seconds: since === null ? null : Math.max(Math.floor((now - Date.parse(since)) / 1_000), 0),
    assignee: row.assignee,
    due_at: row.due_at?.toISOString() ?? null,
    overdue: isWaiting(row) && row.due_at !== null && row.due_at.getTime() < now,
    resolution: last === undefined ? null : toResolution(last, row),
  };
}

/** Same as `isForPeople` in SQL. */
function isWaiting({ action, adverse_update: hasAdverseUpdate }: ReviewRow): boolean {
  return action === 'review' || hasAdverseUpdate;
}

function reviewState(row: ReviewRow, latest: Decision | undefined, last: Resolution | undefined): ReviewState {
  if (!isWaiting(row)) return latest?.resolution_id == null ? 'not_held' : 'resolved';
  if (last === undefined || last.revision !== row.revision || last.answer === 'rejected') return 'open';
  return last.answer === null ? 'pending_approval' : 'approved';
}

/** The first of the uninterrupted `review` revisions. */
function heldSince({ decisions, revision }: ReviewRow): string | null {
  let since: string | null = null;
  for (let n = revision; decisions[String(n)]?.action === 'review'; n -= 1) since = decisions[String(n)]?.decided_at ?? null;
  return since;
}

/** Same as `isLate` in SQL (query.ts). */
function isLate(result: ResultView | null, latest: Decision | undefined): boolean {
  if (result === null || latest?.resolution_id == null) return false;
  const reportedAt = result.reported_at ?? result.scored_at;
  if (reportedAt !== undefined && reportedAt > latest.decided_at) return true;
  return result.outcome !== latest.outcome || (result.score ?? null) !== latest.score || (result.risk_level ?? null) !== latest.risk_level;
}

export function toResolution(resolution: Resolution, standing: Pick<Standing, 'decisions' | 'revision'>): ResolutionView {
  const { resolution_id, revision, action, reason, needs_approval, answered_by, answered_by_name, answer_reason } = resolution;
  return {
    resolution_id,
    revision,
    action,
    reason,
    state: stateOf(resolution, standing),
    resolved_by: { id: resolution.resolved_by, name: resolution.resolved_by_name },
    resolved_at: resolution.resolved_at.toISOString(),
    needs_approval,
    answered_by: answered_by === null ? null : { id: answered_by, name: answered_by_name ?? '' },
    answer_reason,
    answered_at: resolution.answered_at?.toISOString() ?? null,
  };
}

export function toDecisions(decisions: Standing['decisions']): DecisionView[] {
  return Object.values(decisions)
    .sort((a, b) => a.revision - b.revision)
    .map(shown);
}
