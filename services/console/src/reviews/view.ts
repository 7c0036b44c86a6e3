import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import { attachmentView } from '../attachments/view.ts';
import type { Decision } from '../screening-update.ts';
import { shown } from '../query.ts';
import { action as actionOf, type DecisionView, decisionView, personView, type ResultView, resultView, transferView } from '../view.ts';
import { type Resolution, type Standing, stateOf } from './standing.ts';

const time = z.iso.datetime();

const reviewState = z
  .enum(['open', 'pending_approval', 'approved', 'resolved', 'not_held'])
  .describe(
    'open: held or with an adverse update, waits for a resolution; pending_approval: waits for a second person; approved: decision has not applied it yet; resolved: decided by people; not_held: decided by the policy.',
  );
type ReviewState = z.output<typeof reviewState>;

export const resolutionState = z.enum(['pending_approval', 'approved', 'rejected', 'applied', 'superseded']);

const resolutionView = z
  .strictObject({
    resolution_id: z.guid(),
    revision: z.int().describe('The revision that it resolves.'),
    action: actionOf.describe('review: held again.'),
    reason: z.string(),
    state: resolutionState,
    resolved_by: personView,
    resolved_at: time,
    needs_approval: z.boolean(),
    answered_by: personView.nullable(),
    answer_reason: z.string().nullable(),
    answered_at: time.nullable(),
  })
  .meta({ id: 'Resolution' });
export type ResolutionView = Described<typeof resolutionView>;

const reviewFields = {
  screening_id: z.guid(),
  kind: z.enum(['deposit', 'withdrawal']),
  state: reviewState,
  revision: z.int().min(0).describe('The latest, to which a resolution applies.'),
  action: actionOf.nullable(),
  reason_codes: z.array(z.string()),
  transfer: transferView,
  subject: z.string().nullable(),
  result: resultView.nullable().describe("The latest, even one after the people's decision."),
  late_result: z
    .boolean()
    .describe("A result came after the people's decision, or differs from the one that they knew. It changes nothing by itself."),
  adverse_update: z
    .boolean()
    .describe('A result after an allow was worse. The policy has since blocked or held it; a transfer that people allowed stays allowed.'),
  requested_at: time,
  held_since: time.nullable().describe('Start of the current hold; null when not held.'),
  held_seconds: z.int().nullable(),
  assignee: z.string().nullable(),
  due_at: time
    .nullable()
    .describe('Set by a person, else `WEIR_REVIEW_DUE_MS` after the review began to wait. Null: none, or it no longer waits.'),
  overdue: z.boolean(),
  resolution: resolutionView.nullable().describe('The latest, in any state.'),
};

export const reviewView = z.strictObject(reviewFields).meta({ id: 'Review' });
export type ReviewView = Described<typeof reviewView>;

const noteView = z.strictObject({ note_id: z.guid(), text: z.string(), written_by: personView, written_at: time }).meta({ id: 'Note' });
export type NoteView = Described<typeof noteView>;

const planChange = z
  .strictObject({
    field: z.enum(['assignee', 'due_at']),
    value: z.string().nullable().describe('The assignee, or the due time; null: taken away.'),
    changed_by: personView,
    changed_at: time,
  })
  .meta({ id: 'PlanChange' });
export type PlanChangeView = Described<typeof planChange>;

/** One review with its history, latest first. */
export const reviewDetail = z
  .strictObject({
    ...reviewFields,
    decisions: z.array(decisionView),
    resolutions: z.array(resolutionView),
    notes: z.array(noteView),
    plan_changes: z.array(planChange).describe('Of assignee and due time; those of an erased review are gone.'),
    attachments: z.array(attachmentView),
    case_id: z.guid().nullable().describe('The latest case that it is in; null until it has one.'),
  })
  .meta({ id: 'ReviewDetail' });
export type ReviewDetail = Described<typeof reviewDetail>;

export const reviewPlan = z.strictObject({ assignee: z.string().nullable(), due_at: time.nullable() });

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
    state: reviewStateOf(row, latest, last),
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

function reviewStateOf(row: ReviewRow, latest: Decision | undefined, last: Resolution | undefined): ReviewState {
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
