import type { Pool, Queryable } from '@weir/postgres';
import { listAttachments } from '../attachments/store.ts';
import { readSorted, type ValuePosition } from '../by-value.ts';
import { type ScreeningFilter, sqlOf } from '../filter.ts';
import { type Paths, withPaths } from '../paths.ts';
import {
  allConditions,
  cutPage,
  type Page,
  type PageQuery,
  type Position,
  positionOf,
  rareLimit,
  readInOrder,
  readLimit,
  readPage,
  readRare,
  run,
  where,
} from '../page.ts';
import { type Standing as Stand, standingsOf } from '../states.ts';
import { isAdverse, isForPeople, latestResolutions, listResolutions, adverseUpdate } from './standing.ts';
import {
  type NoteView,
  type PlanChangeView,
  type ReviewDetail,
  type ReviewRow,
  type ReviewView,
  toDecisions,
  toResolution,
  toReview,
} from './view.ts';

/** Limits of one review's history; the latest entries are shown. */
const shownResolutions = 100;
const shownNotes = 200;
const shownPlanChanges = 200;

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

/** By time of request, by value, or by due time, then those without one by time of request. */
export type ReviewOrder = 'oldest' | 'newest' | 'due' | 'value';

const columns = `s.screening_id, s.requested_at, s.revision, s.action, s.request, s.result, s.decisions, ${adverseUpdate} AS adverse_update, r.assignee, r.due_at`;
const caseOf =
  '(SELECT m.case_id FROM console.case_screenings m WHERE m.screening_id = s.screening_id ORDER BY m.added_at DESC, m.case_id LIMIT 1) AS case_id';
const pending = `LEFT JOIN console.resolutions p ON p.screening_id = s.screening_id AND p.revision = s.revision AND p.answer IS DISTINCT FROM 'rejected'`;
const joins = `LEFT JOIN console.reviews r ON r.screening_id = s.screening_id ${pending}`;
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

interface PageOptions {
  readonly order: ReviewOrder;
  readonly limit: number;
  /** By value if the order is. */
  readonly after: Position | ValuePosition | undefined;
}
type ListRow = ReviewRow & { ordered_at: Date };

/** Up to `limit` reviews; a page may be shorter. `next` is undefined on the last page. */
export async function listReviews(
  db: Pool,
  filter: ReviewFilter,
  { now, ...options }: PageOptions & { now: number },
): Promise<{ items: ReviewView[]; next: Position | ValuePosition | undefined }> {
  return readInOrder(db, async (tx) => {
    const { order, after } = options;
    const query = await queryOf(tx, filter, options);
    const { rows, next } =
      order === 'due'
        ? await readByDue(tx, { ...query, descending: false, after: after && 'usd' in after ? undefined : after }, filter.dueBefore)
        : await readSorted<ListRow>(tx, query, order, after);
    const ids = rows.map((row) => row.screening_id);
    const resolutions = await latestResolutions(tx, ids);
    return { items: rows.map((row) => toReview(row, resolutions.get(row.screening_id), now)), next };
  });
}

async function queryOf(tx: Queryable, filter: ReviewFilter, { limit }: PageOptions): Promise<Omit<PageQuery, 'descending' | 'after'>> {
  const { late, state, assignee, dueBefore, ...common } = filter;
  const values: unknown[] = [];
  const sql = sqlOf(common, values);
  const isDecided = state === 'resolved' || (state === undefined && late === true);
  const conditions = [...sql.conditions];
  if (state !== undefined) conditions.push(byState[state]);
  if (late) conditions.push(isLate);
  if (assignee !== undefined) conditions.push(assignee === 'none' ? 'r.assignee IS NULL' : `r.assignee = $${values.push(assignee)}`);
  if (dueBefore !== undefined) conditions.push(`r.due_at < $${values.push(dueBefore)}`);
  const ids = sql.ids ?? (await findPlanned(tx, filter, isDecided, values));
  const members: readonly Stand[] = isDecided ? ['allow_by_people', 'block_by_people'] : ['review'];
  const standings = members.filter((each) => common.action === undefined || standingsOf(common.action).includes(each));
  const membership = [isDecided ? isResolved : isForPeople];
  return {
    columns,
    joins,
    filter: { ...sql, ids, conditions, membership, states: { ...sql.states, standings } },
    ...(isDecided ? {} : { besides: isAdverse }),
    values,
    limit,
  };
}

/** If at most `rareLimit` reviews have this assignee, due time or pending resolution: SQL of their ids. */
async function findPlanned(
  tx: Queryable,
  { assignee, dueBefore, state }: ReviewFilter,
  isDecided: boolean,
  values: unknown[],
): Promise<string | undefined> {
  const waits = isDecided ? '' : 'waiting AND ';
  const sets = [
    ...(assignee === undefined || assignee === 'none' ? [] : [`console.reviews WHERE ${waits}assignee = $${values.push(assignee)}`]),
    ...(dueBefore === undefined || isDecided
      ? []
      : [`console.reviews WHERE waiting AND due_at IS NOT NULL AND due_at < $${values.push(dueBefore)}`]),
    ...(state === 'pending_approval' ? ['console.resolutions WHERE answer IS NULL'] : []),
  ];
  for (const set of sets) {
    const { rows } = await run<{ screening_id: string }>(tx, `SELECT screening_id FROM ${set} LIMIT ${rareLimit + 1}`, values);
    if (rows.length <= rareLimit) return `$${values.push(rows.map(({ screening_id: id }) => id))}::uuid[]`;
  }
  return undefined;
}

/** Reviews without a due time are behind all others, by their time of request moved this far. */
const undatedYears = 5_000;
const undatedFrom = Date.UTC(undatedYears, 0, 1);
const beforeUndated: Position = { requestedAt: Date.UTC(undatedYears + 1, 0, 1), screeningId: '00000000-0000-0000-0000-000000000000' };
const dueOrder = `coalesce(r.due_at, s.requested_at + interval '${undatedYears} years')`;

/** By due time, which only those that wait for people are sorted by. */
async function readByDue(tx: Queryable, query: PageQuery, dueBefore: Date | undefined): Promise<Page<ListRow>> {
  const rare = await readRare<ListRow>(tx, query, dueOrder);
  if (rare !== undefined) return rare;
  const isUndated = query.after !== undefined && query.after.requestedAt >= undatedFrom;
  const dated = isUndated ? { rows: [], next: undefined } : await readDated(tx, query);
  if (dated.next !== undefined || dueBefore !== undefined) return dated;
  const undated = await readUndated(tx, { ...query, after: isUndated ? query.after : undefined, limit: query.limit - dated.rows.length });
  return { rows: [...dated.rows, ...undated.rows], next: undated.next };
}

async function readDated(tx: Queryable, query: PageQuery): Promise<Page<ListRow>> {
  const { filter, values, limit, after } = query;
  const position = after && [values.push(new Date(after.requestedAt).toISOString()), values.push(after.screeningId)];
  const from = position === undefined ? '' : `AND (due_at, screening_id) > ($${position[0]}::timestamptz, $${position[1]}::uuid)`;
  const read = `SELECT * FROM console.reviews WHERE waiting AND due_at IS NOT NULL ${from} ORDER BY due_at, screening_id`;
  const conditions = allConditions(filter);
  const { rows } = await run<ListRow>(
    tx,
    `SELECT ${columns}, r.due_at AS ordered_at FROM (${read} LIMIT ${readLimit}) AS r
     CROSS JOIN LATERAL (SELECT * FROM console.screenings s WHERE s.screening_id = r.screening_id) AS s ${pending}
     ${where(conditions)} ORDER BY r.due_at, r.screening_id LIMIT ${limit + 1}`,
    values,
  );
  const page = cutPage(rows, limit);
  if (page.next !== undefined) return page;
  const last = await run<ListRow>(
    tx,
    `SELECT screening_id, due_at AS ordered_at FROM (${read} OFFSET ${readLimit - 1} LIMIT 1) AS r`,
    values,
  );
  return { rows: page.rows, next: last.rows[0] && positionOf(last.rows[0]) };
}

async function readUndated(tx: Queryable, { limit, after, filter, ...query }: PageQuery): Promise<Page<ListRow>> {
  if (limit === 0) {
    const { rows, next } = await readUndated(tx, { ...query, filter, after, limit: 1 });
    return { rows: [], next: rows.length > 0 || next !== undefined ? beforeUndated : undefined };
  }
  const conditions = [...filter.conditions, 'r.due_at IS NULL'];
  const page = await readPage<ListRow>(tx, {
    ...query,
    filter: { ...filter, conditions },
    limit,
    after: after && moved(after, -undatedYears),
  });
  return { rows: page.rows, next: page.next && moved(page.next, undatedYears) };
}

function moved({ requestedAt, screeningId }: Position, years: number): Position {
  const at = new Date(requestedAt);
  return { requestedAt: at.setUTCFullYear(at.getUTCFullYear() + years), screeningId };
}

/** One review with its history; undefined for an unknown screening. */
export async function findReview(db: Queryable, screeningId: string, now: number): Promise<ReviewDetail | undefined> {
  const { rows } = await db.query<ReviewRow & { paths: Paths | null; case_id: string | null }>(
    `SELECT ${columns}, s.paths, ${caseOf} FROM console.screenings s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id WHERE s.screening_id = $1`,
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
    plan_changes: await listPlanChanges(db, screeningId),
    attachments: await listAttachments(db, { kind: 'screening', id: screeningId }),
    case_id: row.case_id,
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

/** The acts that `setReviewPlan` records. An erased act has no details. */
async function listPlanChanges(db: Queryable, screeningId: string): Promise<PlanChangeView[]> {
  const { rows } = await db.query<Pick<PlanChangeView, 'field' | 'value'> & { person_id: string; person_name: string; recorded_at: Date }>(
    `SELECT details -> 0 ->> 'name' AS field, details -> 0 ->> 'value' AS value, person_id, person_name, recorded_at FROM access.activities
     WHERE subject = $1 AND action IN ('assigned', 'due_set') AND details <> '[]' ORDER BY number DESC LIMIT $2`,
    [screeningId, shownPlanChanges],
  );
  return rows.map(({ field, value, person_id: id, person_name: name, recorded_at: at }) => ({
    field,
    value,
    changed_by: { id, name },
    changed_at: at.toISOString(),
  }));
}
