import type { Queryable } from '@weir/postgres';
import type { Position } from '../query.ts';
import { isForPeople, latestResolutions, listResolutions, adverseUpdate } from './standing.ts';
import { type NoteView, type ReviewDetail, type ReviewRow, type ReviewView, toDecisions, toResolution, toReview } from './view.ts';

/** Limits of one review's history; the latest entries are shown. */
const shownResolutions = 100;
const shownNotes = 200;

export interface ReviewFilter {
  /** Undefined: all that are held or have an adverse update; with `late`, those that people decided. */
  readonly state?: 'open' | 'pending_approval' | 'approved' | 'resolved';
  readonly kind?: string;
  /** `none` selects unassigned reviews. */
  readonly assignee?: string;
  /** Due before this time. */
  readonly dueBefore?: Date;
  /** Only reviews with a result after the people's decision. */
  readonly late?: boolean;
}

const columns = `s.screening_id, s.requested_at, s.revision, s.action, s.request, s.result, s.decisions, ${adverseUpdate} AS adverse_update, r.assignee, r.due_at`;
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

/** Up to `limit` reviews, oldest first. `next` is undefined on the last page. */
export async function listReviews(
  db: Queryable,
  { late, state, kind, assignee, dueBefore }: ReviewFilter,
  { limit, after, now }: { limit: number; after: Position | undefined; now: number },
): Promise<{ items: ReviewView[]; next: Position | undefined }> {
  const values: unknown[] = [];
  const conditions: string[] = [state === undefined ? (late ? isResolved : isForPeople) : byState[state]];
  if (late) conditions.push(isLate);
  if (kind !== undefined) conditions.push(`s.kind = $${values.push(kind)}`);
  if (assignee !== undefined) conditions.push(assignee === 'none' ? 'r.assignee IS NULL' : `r.assignee = $${values.push(assignee)}`);
  if (dueBefore !== undefined) conditions.push(`r.due_at < $${values.push(dueBefore)}`);
  if (after !== undefined) {
    const [at, id] = [values.push(new Date(after.requestedAt).toISOString()), values.push(after.screeningId)];
    conditions.push(`(s.requested_at, s.screening_id) > ($${at}::timestamptz, $${id}::uuid)`);
  }
  const { rows } = await db.query<ReviewRow>(
    `SELECT ${columns} FROM console.screenings s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id
     LEFT JOIN console.resolutions p ON p.screening_id = s.screening_id AND p.revision = s.revision AND p.answer IS DISTINCT FROM 'rejected'
     WHERE ${conditions.join(' AND ')} ORDER BY s.requested_at, s.screening_id LIMIT $${values.push(limit + 1)}`,
    values,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last === undefined ? undefined : { requestedAt: last.requested_at.getTime(), screeningId: last.screening_id };
  const resolutions = await latestResolutions(
    db,
    page.map((row) => row.screening_id),
  );
  return { items: page.map((row) => toReview(row, resolutions.get(row.screening_id), now)), next };
}

/** One review with its history; undefined for an unknown screening. */
export async function findReview(db: Queryable, screeningId: string, now: number): Promise<ReviewDetail | undefined> {
  const { rows } = await db.query<ReviewRow>(
    `SELECT ${columns} FROM console.screenings s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id WHERE s.screening_id = $1`,
    [screeningId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const resolutions = await listResolutions(db, screeningId, shownResolutions);
  return {
    ...toReview(row, resolutions[0], now),
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
