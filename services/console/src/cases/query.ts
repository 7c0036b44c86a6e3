import type { Queryable } from '@weir/postgres';
import { listAttachments } from '../attachments/store.ts';
import type { Position } from '../page.ts';
import { isForPeople } from '../reviews/standing.ts';
import type { CaseDetail, CaseView } from './view.ts';

/** Of one case; the latest are shown. */
const shownNotes = 200;

export interface CaseFilter {
  readonly state?: 'open' | 'closed';
  /** `none` selects unassigned cases. */
  readonly assignee?: string;
  readonly outcome?: string;
  readonly escalated?: boolean;
  readonly dueBefore?: Date;
}

interface Row extends Record<string, unknown> {
  case_id: string;
  opened_at: Date;
  keys: string[];
  holds: number;
  waiting: number;
  usd: string | null;
  unknown_usd: number;
  assignee: string | null;
  due_at: Date | null;
  escalated_at: Date | null;
  outcome: CaseView['outcome'];
  outcome_reason: string | null;
  outcome_by: string | null;
  outcome_by_name: string | null;
  outcome_at: Date | null;
}

const usd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";
/** A case has at most 200 holds. */
const select = `SELECT c.*, t.* FROM console.cases c CROSS JOIN LATERAL (
  SELECT count(*)::int AS holds, (count(*) FILTER (WHERE ${isForPeople}))::int AS waiting,
    sum(${usd})::text AS usd, (count(*) FILTER (WHERE ${usd} IS NULL))::int AS unknown_usd
  FROM console.case_screenings m JOIN console.screenings s USING (screening_id) WHERE m.case_id = c.case_id) AS t`;

/** Up to `limit` cases, newest first. */
export async function listCases(
  db: Queryable,
  { state, assignee, outcome, escalated, dueBefore }: CaseFilter,
  limit: number,
  after?: Position,
): Promise<{ items: CaseView[]; next: Position | undefined }> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  if (state !== undefined) conditions.push(`c.outcome IS ${state === 'open' ? '' : 'NOT '}NULL`);
  if (escalated) conditions.push('c.escalated_at IS NOT NULL');
  if (assignee === 'none') conditions.push('c.assignee IS NULL');
  else add(assignee, (value) => `c.assignee = ${value}`);
  add(outcome, (value) => `c.outcome = ${value}`);
  add(dueBefore, (value) => `c.due_at < ${value}`);
  if (after !== undefined)
    conditions.push(
      `(c.opened_at, c.case_id) < ($${values.push(new Date(after.requestedAt))}::timestamptz, $${values.push(after.screeningId)}::uuid)`,
    );
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const { rows } = await db.query<Row>(
    `${select} ${where} ORDER BY c.opened_at DESC, c.case_id DESC LIMIT $${values.push(limit + 1)}`,
    values,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last === undefined ? undefined : { requestedAt: last.opened_at.getTime(), screeningId: last.case_id };
  return { items: rows.slice(0, limit).map(toView), next };
}

function toView({ case_id, keys, holds, waiting, usd: sum, unknown_usd, assignee, outcome, outcome_reason, ...row }: Row): CaseView {
  return {
    case_id,
    state: outcome === null ? 'open' : 'closed',
    opened_at: row.opened_at.toISOString(),
    keys,
    holds,
    waiting,
    usd: sum,
    unknown_usd,
    assignee,
    due_at: row.due_at?.toISOString() ?? null,
    escalated_at: row.escalated_at?.toISOString() ?? null,
    outcome,
    outcome_reason,
    outcome_by: row.outcome_by === null ? null : { id: row.outcome_by, name: row.outcome_by_name ?? '' },
    outcome_at: row.outcome_at?.toISOString() ?? null,
  };
}

export async function findCaseView(db: Queryable, caseId: string): Promise<CaseView | undefined> {
  const { rows } = await db.query<Row>(`${select} WHERE c.case_id = $1`, [caseId]);
  return rows[0] === undefined ? undefined : toView(rows[0]);
}

/** `caseId` must be a UUID. */
export async function findCase(db: Queryable, caseId: string): Promise<CaseDetail | undefined> {
  const found = await findCaseView(db, caseId);
  if (found === undefined) return undefined;
  const [screenings, notes, attachments] = await Promise.all([
    screeningsOf(db, caseId),
    notesOf(db, caseId),
    listAttachments(db, { kind: 'case', id: caseId }),
  ]);
  return { ...found, screenings, notes, attachments };
}

/** The latest case of a screening. */
export async function findCaseOf(db: Queryable, screeningId: string): Promise<CaseDetail | undefined> {
  const { rows } = await db.query<{ case_id: string }>(
    'SELECT case_id FROM console.case_screenings WHERE screening_id = $1 ORDER BY added_at DESC, case_id LIMIT 1',
    [screeningId],
  );
  return rows[0] === undefined ? undefined : findCase(db, rows[0].case_id);
}

type CaseScreening = CaseDetail['screenings'][number];

async function screeningsOf(db: Queryable, caseId: string): Promise<CaseScreening[]> {
  const { rows } = await db.query<Omit<CaseScreening, 'requested_at' | 'added_at'> & { requested_at: Date; added_at: Date }>(
    `SELECT s.screening_id, s.kind, s.action, s.level, t ->> 'coin' AS coin, t ->> 'amount' AS amount, t ->> 'usd_value' AS usd_value,
       t ->> 'user_id' AS user_id, CASE s.kind WHEN 'deposit' THEN t ->> 'from_address' ELSE t ->> 'to_address' END AS counterparty,
       s.requested_at, m.added_at
     FROM console.case_screenings m JOIN console.screenings s USING (screening_id) CROSS JOIN LATERAL (SELECT s.request -> 'transfer' AS t) AS r
     WHERE m.case_id = $1 ORDER BY s.requested_at, s.screening_id`,
    [caseId],
  );
  return rows.map((row) => ({ ...row, requested_at: row.requested_at.toISOString(), added_at: row.added_at.toISOString() }));
}

async function notesOf(db: Queryable, caseId: string): Promise<CaseDetail['notes'][number][]> {
  const { rows } = await db.query<{ note_id: string; text: string; written_by: string; written_by_name: string; written_at: Date }>(
    'SELECT note_id, text, written_by, written_by_name, written_at FROM console.case_notes WHERE case_id = $1 ORDER BY number DESC LIMIT $2',
    [caseId, shownNotes],
  );
  return rows.map(({ note_id, text, written_by: id, written_by_name: name, written_at: at }) => ({
    note_id,
    text,
    written_by: { id, name },
    written_at: at.toISOString(),
  }));
}
