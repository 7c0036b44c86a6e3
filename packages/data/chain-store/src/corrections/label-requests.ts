import type { Queryable } from '@weir/postgres';
import { activeTraceparent } from '@weir/tracing';

/** `add`: every field but `at`. `end`: source, address, perhaps category and time. `withdraw`: the source. */
export interface LabelRequestScope {
  readonly source?: string | undefined;
  readonly address?: string | undefined;
  readonly category?: string | undefined;
  readonly chain?: string | undefined;
  readonly name?: string | undefined;
  /** RFC 3339: from when on the labels do not hold. */
  readonly at?: string | undefined;
}

/** A change of labels that one person wants and another answers. The process that may store labels applies it. */
export interface LabelRequest {
  readonly request_id: string;
  readonly action: 'add' | 'end' | 'withdraw';
  readonly scope: LabelRequestScope;
  readonly reason: string;
  readonly requested_by: string;
  readonly requested_by_name: string;
  readonly requested_at: Date;
  readonly answered_by: string | null;
  readonly answered_by_name: string | null;
  readonly answered_at: Date | null;
  readonly is_approved: boolean | null;
  readonly settled_at: Date | null;
  /** How many changed; null before it is settled, and where it failed. */
  readonly labels: number | null;
  readonly failure: string | null;
}

export const labelRequests = `
  CREATE TABLE chain.label_requests (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, request_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    action text NOT NULL CHECK (action IN ('add', 'end', 'withdraw')), scope jsonb NOT NULL, reason text NOT NULL,
    requested_by text NOT NULL, requested_by_name text NOT NULL, requested_at timestamptz NOT NULL,
    answered_by text, answered_by_name text, answered_at timestamptz, is_approved boolean,
    settled_at timestamptz, labels bigint, failure text);
  CREATE INDEX label_requests_open ON chain.label_requests (number) WHERE settled_at IS NULL AND is_approved IS NOT FALSE`;

type Row = LabelRequest & { readonly [column: string]: unknown };
type Person = { readonly id: string; readonly name: string };

const columns = `request_id, action, scope, reason, requested_by, requested_by_name, requested_at, answered_by, answered_by_name, answered_at,
  is_approved, settled_at, labels::float8, failure`;

export async function insertLabelRequest(
  tx: Queryable,
  request: Pick<LabelRequest, 'action' | 'scope' | 'reason'>,
  by: Person,
  at: Date,
): Promise<LabelRequest> {
  const { rows } = await tx.query<Row>(
    `INSERT INTO chain.label_requests (action, scope, reason, requested_by, requested_by_name, requested_at)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${columns}`,
    [request.action, JSON.stringify(request.scope), request.reason, by.id, by.name, at],
  );
  return rows[0] as LabelRequest;
}

/** Undefined for an unknown id. */
export async function lockLabelRequest(tx: Queryable, id: string): Promise<LabelRequest | undefined> {
  const { rows } = await tx.query<Row>(`SELECT ${columns} FROM chain.label_requests WHERE request_id = $1 FOR UPDATE`, [id]);
  return rows[0];
}

/** A rejected request is settled by it. The caller holds the row's lock. */
export async function answerLabelRequest(
  tx: Queryable,
  id: string,
  { isApproved, by, at }: { isApproved: boolean; by: Person; at: Date },
): Promise<LabelRequest> {
  const { rows } = await tx.query<Row>(
    `UPDATE chain.label_requests SET is_approved = $2, answered_by = $3, answered_by_name = $4, answered_at = $5,
       settled_at = CASE WHEN $2 THEN NULL ELSE $5::timestamptz END, traceparent = $6
     WHERE request_id = $1 RETURNING ${columns}`,
    [id, isApproved, by.id, by.name, at, activeTraceparent() ?? null],
  );
  return rows[0] as LabelRequest;
}

/** The newest first. */
export async function listLabelRequests(db: Queryable, limit: number): Promise<LabelRequest[]> {
  const { rows } = await db.query<Row>(`SELECT ${columns} FROM chain.label_requests ORDER BY number DESC LIMIT $1`, [limit]);
  return rows;
}

export interface ApprovedRequest extends LabelRequest {
  /** Of the request that approved it. */
  readonly traceparent: string | null;
}

/** Those to apply, in their order. */
export async function approvedLabelRequests(db: Queryable, limit: number): Promise<ApprovedRequest[]> {
  const { rows } = await db.query<ApprovedRequest & Row>(
    `SELECT ${columns}, traceparent FROM chain.label_requests WHERE settled_at IS NULL AND is_approved ORDER BY number LIMIT $1`,
    [limit],
  );
  return rows;
}

export async function settleLabelRequest(
  db: Queryable,
  id: string,
  { labels, failure, at }: { labels: number | null; failure: string | null; at: Date },
): Promise<void> {
  await db.query('UPDATE chain.label_requests SET labels = $2, failure = $3, settled_at = $4 WHERE request_id = $1', [
    id,
    labels,
    failure,
    at,
  ]);
}
