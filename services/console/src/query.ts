import type { Pool, Queryable } from '@weir/postgres';
import { type ScreeningFilter, sqlOf } from './filter.ts';
import { type Paths, withPaths } from './paths.ts';
import { readSorted, type ValuePosition } from './by-value.ts';
import { type Ordered, type Position, readInOrder } from './page.ts';
import { type Decision, type Request, summaryOf } from './screening-update.ts';
import type { DecisionView, ResultView, ScreeningStatus, ScreeningView, SummaryOfResult } from './view.ts';

interface Row extends Record<string, unknown> {
  screening_id: string;
  requested_at: Date;
  request: Request;
  result: ResultView | null;
  decisions: Readonly<Record<string, Decision>>;
  audit: ScreeningView['audit'];
}

const columns = 's.screening_id, s.requested_at, s.request, s.result, s.decisions, console.audit_of(s.screening_id) AS audit';

/** `screeningId` must be a UUID. */
export async function findScreening(db: Queryable, screeningId: string): Promise<ScreeningView | undefined> {
  const { rows } = await db.query<Row & { paths: Paths | null; results: Readonly<Record<string, SummaryOfResult>> }>(
    `SELECT ${columns}, s.paths, s.results FROM console.screenings s WHERE s.screening_id = $1`,
    [screeningId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const results = byRank(row.results);
  // A row of an older version has its latest result alone.
  const known = results.length === 0 && row.result !== null ? [summaryOf(row.result)] : results;
  return { ...toView({ ...row, result: withPaths(row.result, row.paths) }), results: known };
}

export type ScreeningOrder = 'newest' | 'oldest' | 'value';

interface ScreeningPage {
  readonly order: ScreeningOrder;
  readonly limit: number;
  /** By value if the order is. */
  readonly after: Position | ValuePosition | undefined;
}

/** Up to `limit` screenings; a page may be shorter. `next` is undefined on the last page. */
export async function listScreenings(
  db: Pool,
  filter: ScreeningFilter,
  { order, limit, after }: ScreeningPage,
): Promise<{ items: ScreeningView[]; next: Position | ValuePosition | undefined }> {
  const values: unknown[] = [];
  const query = { columns, filter: sqlOf(filter, values), values, limit };
  const { rows, next } = await readInOrder(db, (tx) => readSorted<Row & Ordered>(tx, query, order, after));
  return { items: rows.map(toView), next };
}

function toView({ screening_id, requested_at, request, result, decisions, audit }: Row): ScreeningView {
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
    ...(request.erased === true ? { erased: true } : {}),
    audit,
  };
}

function byRank(results: Readonly<Record<string, SummaryOfResult>>): SummaryOfResult[] {
  return Object.entries(results)
    .toSorted(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .map(([, result]) => result);
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
