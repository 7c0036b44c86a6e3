import type { Queryable } from '@weir/postgres';
import type { Decision, Request } from './screening-update.ts';
import type { DecisionView, ResultView, ScreeningStatus, ScreeningView } from './view.ts';

export interface ListFilter {
  readonly kind?: string;
  /** Of the latest revision. */
  readonly action?: string;
  /** Of the latest result. */
  readonly level?: string;
  readonly subject?: string;
}

/** The last screening of the page before. */
export interface Position {
  /** Unix milliseconds. */
  readonly requestedAt: number;
  readonly screeningId: string;
}

interface Row extends Record<string, unknown> {
  screening_id: string;
  requested_at: Date;
  request: Request;
  result: ResultView | null;
  decisions: Readonly<Record<string, Decision>>;
}

const columns = 'screening_id, requested_at, request, result, decisions';

/** `screeningId` must be a UUID. */
export async function findScreening(db: Queryable, screeningId: string): Promise<ScreeningView | undefined> {
  const { rows } = await db.query<Row>(`SELECT ${columns} FROM console.screenings WHERE screening_id = $1`, [screeningId]);
  return rows[0] === undefined ? undefined : toView(rows[0]);
}

/** Up to `limit` screenings, newest first. `next` is undefined on the last page. */
export async function listScreenings(
  db: Queryable,
  filter: ListFilter,
  limit: number,
  after?: Position,
): Promise<{ items: ScreeningView[]; next: Position | undefined }> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  for (const name of ['kind', 'action', 'level', 'subject'] as const) {
    if (filter[name] === undefined) continue;
    const value = `$${values.push(filter[name])}`;
    conditions.push(`${name} = ${name === 'subject' ? `console.comparable(${value})` : value}`);
  }
  if (after !== undefined) {
    const [at, id] = [values.push(new Date(after.requestedAt).toISOString()), values.push(after.screeningId)];
    conditions.push(`(requested_at, screening_id) < ($${at}::timestamptz, $${id}::uuid)`);
  }
  const { rows } = await db.query<Row>(
    `SELECT ${columns} FROM console.screenings ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
     ORDER BY requested_at DESC, screening_id DESC LIMIT $${values.push(limit + 1)}`,
    values,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last === undefined ? undefined : { requestedAt: last.requested_at.getTime(), screeningId: last.screening_id };
  return { items: page.map(toView), next };
}

function toView({ screening_id, requested_at, request, result, decisions }: Row): ScreeningView {
  const revisions = Object.values(decisions).sort((a, b) => a.revision - b.revision);
  return {
    screening_id,
    kind: request.kind,
    status: statusOf(revisions.at(-1)),
    transfer: request.transfer,
    subject: request.subject,
    subject_type: request.subject_type,
    direction: request.direction,
    result,
    decisions: revisions.map(shown),
    requested_at: requested_at.toISOString(),
    deadline_at: request.deadline_at,
  };
}

/** By the latest revision. */
function statusOf(latest: Decision | undefined): ScreeningStatus {
  return latest === undefined ? 'open' : ({ allow: 'allowed', review: 'held', block: 'blocked' } as const)[latest.action];
}

export function shown({
  revision,
  action,
  reason_codes,
  rule,
  policy_hash,
  decided_at,
  supersedes,
  resolution_id = null,
}: Decision): DecisionView {
  return { revision, action, reason_codes, rule, policy_hash, decided_at, supersedes, resolution_id };
}
