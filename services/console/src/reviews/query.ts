import type { Queryable } from '@weir/postgres';
import { type ScreeningFilter, sqlOf } from '../filter.ts';
import { type Paths, withPaths } from '../paths.ts';
import { cutPage, pageSql, type Position } from '../page.ts';
import { isForPeople, latestResolutions, listResolutions, adverseUpdate } from './standing.ts';
import { type NoteView, type ReviewDetail, type ReviewRow, type ReviewView, toDecisions, toResolution, toReview } from './view.ts';

/** Limits of one review's history; the latest entries are shown. */
const shownResolutions = 100;
const shownNotes = 200;

export interface ReviewFilter extends ScreeningFilter {
  /** Undefined: all that are held or have an adverse update; with `late`, those that people decided. */
  readonly state?: 'open' | 'pending_approval' | 'approved' | 'resolved';
  /** `none` selects unassigned reviews. */
  readonly assignee?: string;
  /** Due before this time. */
  readonly dueBefore?: Date;
  /** Only reviews with a result after the people's decision. */
  readonly late?: boolean;
}

/** By time of request, or by due time with those without one last. */
export type ReviewOrder = keyof typeof orders;
const orders = {
  oldest: { orderedBy: 's.requested_at', descending: false },
  newest: { orderedBy: 's.requested_at', descending: true },
  due: { orderedBy: "coalesce(r.due_at, '9999-12-31T23:59:59.999Z')", descending: false },
} as const;

const columns = `s.screening_id, s.requested_at, s.revision, s.action, s.request, s.result, s.decisions, ${adverseUpdate} AS adverse_update, r.assignee, r.due_at`;
const joins = `LEFT JOIN console.reviews r ON r.screening_id = s.screening_id
  LEFT JOIN console.resolutions p ON p.screening_id = s.screening_id AND p.revision = s.revision AND p.answer IS DISTINCT FROM 'rejected'`;
/** Must equal the expression of the index `screenings_resolved`. */
const isResolved = "s.action <> 'review' AND s.decisions -> s.revision::text ->> 'resolution_id' IS NOT NULL";
/** The people's decision did not use this result: it came later, or differs from the one that decision used. */
const isLate = `s.decisions -> s.revision::text ->> 'resolution_id' IS NOT NULL AND s.result IS NOT NULL AND
  (coalesce(s.result ->> 'reported_at', s.result ->> 'scored_at') > s.decisions -> s.revision::text ->> 'decided_at' OR
   (s.result ->> 'outcome', s.result ->> 'score', s.result ->> 'risk_level') IS DISTINCT FROM
   (s.decisions -> s.revision::text ->> 'outcome', s.decisions -> s.revision::text ->> 'score', s.decisions -> s.revision::text ->> 'risk_level'))`;
const byState = {
  open: `${isForPeople} AND p.resolution_id IS NULL`,
  pending_approval: `${isForPeople} AND p.resolution_id IS NOT NULL AND p.answer IS NULL`,
  approved: `${isForPeople} AND p.answer = 'approved'`,
  resolved: `${isResolved} AND NOT ${adverseUpdate}`,
} as const;

/** Up to `limit` reviews. `next` is undefined on the last page. */
export async function listReviews(
  db: Queryable,
  { late, state, assignee, dueBefore, ...filter }: ReviewFilter,
  { order, limit, after, now }: { order: ReviewOrder; limit: number; after: Position | undefined; now: number },
): Promise<{ items: ReviewView[]; next: Position | undefined }> {
  const values: unknown[] = [];
  const conditions: string[] = [state === undefined ? (late ? isResolved : isForPeople) : byState[state]];
  if (late) conditions.push(isLate);
  if (assignee !== undefined) conditions.push(assignee === 'none' ? 'r.assignee IS NULL' : `r.assignee = $${values.push(assignee)}`);
  if (dueBefore !== undefined) conditions.push(`r.due_at < $${values.push(dueBefore)}`);
  const filtered = sqlOf(filter, values);
  conditions.push(...filtered.conditions);
  const page = { columns, joins, ...filtered, conditions, values, ...orders[order], limit, after };
  const found = await db.query<ReviewRow & { ordered_at: Date }>(pageSql(page), values);
  const { rows, next } = cutPage(found.rows, limit);
  const resolutions = await latestResolutions(
    db,
    rows.map((row) => row.screening_id),
  );
  return { items: rows.map((row) => toReview(row, resolutions.get(row.screening_id), now)), next };
}

/** One review with its history; undefined for an unknown screening. */
export async function findReview(db: Queryable, screeningId: string, now: number): Promise<ReviewDetail | undefined> {
  const { rows } = await db.query<ReviewRow & { paths: Paths | null }>(
    `SELECT ${columns}, s.paths FROM console.screenings s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id WHERE s.screening_id = $1`,
    [screeningId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const resolutions = await listResolutions(db, screeningId, shownResolutions);
  return {
    ...toReview({ ...row, result: withPaths(row.result, row.paths) }, resolutions[0], now),
    decisions: toDecisions(row.decisions),
    resolutions: resolutions.map((resolution) => toResolution(resolution, row)),
    notes: await listNotes(db, screeningId),
  };
}

async function listNotes(db: Queryable, screeningId: string): Promise<NoteView[]> {
  const { rows } = await db.query<{ note_id: string; text: string; written_by: string; written_by_name: string; written_at: Date }>(
    'SELECT note_id, text, written_by, written_by_name, written_at FROM console.notes WHERE screening_id = $1 ORDER BY number DESC LIMIT $2',
    [screeningId, shownNotes],
  );
  return rows.map(({ note_id, text, written_by, written_by_name, written_at }) => ({
    note_id,
    text,
    written_by: { id: written_by, name: written_by_name },
    written_at: written_at.toISOString(),
  }));
}
