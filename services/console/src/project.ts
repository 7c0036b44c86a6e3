import { jsonArray, type Queryable, prepared } from '@weir/postgres';
import { isForPeople } from './reviews/standing.ts';
import { type Decision, type ScreeningUpdate, summaryOf } from './screening-update.ts';
import type { SummaryOfResult } from './view.ts';

interface Row extends Omit<ScreeningUpdate, 'decision'> {
  readonly decisions: ReadonlyMap<number, Decision>;
  /** By rank. */
  readonly results: ReadonlyMap<string, SummaryOfResult>;
}

/**
 * Merges facts into the projection with one statement. The highest rank of each part wins, so order and repeats do not matter. Rows are
 * locked in id order, so replicas can run it concurrently. Where no person has chosen the due time of a review, it is `dueMs` after the review
 * began to wait, and none once it waits no more. 0: reviews get none.
 */
export async function project(db: Queryable, facts: readonly ScreeningUpdate[], { dueMs }: { readonly dueMs: number }): Promise<void> {
  if (facts.length === 0) return;
  const rows = [...fold(facts).values()].sort((a, b) => (a.screeningId < b.screeningId ? -1 : 1));
  const latest = rows.map((row) => [...row.decisions.values()].reduce<Decision | undefined>(later, undefined));
  await db.query(
    prepared(`WITH stored AS (
     INSERT INTO console.screenings AS s (screening_id, requested_at, request, request_rank, result, paths, result_rank, results, decisions, revision, action)
     SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::jsonb[], $4::bigint[], $5::jsonb[], $6::jsonb[], $7::bigint[], $8::jsonb[], $9::jsonb[], $10::int[], $11::text[])
     ON CONFLICT (screening_id) DO UPDATE SET
       requested_at = LEAST(s.requested_at, EXCLUDED.requested_at),
       request = CASE WHEN EXCLUDED.request_rank > s.request_rank THEN EXCLUDED.request ELSE s.request END,
       request_rank = GREATEST(s.request_rank, EXCLUDED.request_rank),
       result = CASE WHEN EXCLUDED.result_rank > s.result_rank THEN EXCLUDED.result ELSE s.result END,
       paths = CASE WHEN EXCLUDED.result_rank > s.result_rank THEN EXCLUDED.paths ELSE s.paths END,
       result_rank = GREATEST(s.result_rank, EXCLUDED.result_rank),
       results = EXCLUDED.results || s.results,
       decisions = EXCLUDED.decisions || s.decisions,
       action = CASE WHEN EXCLUDED.revision > s.revision THEN EXCLUDED.action ELSE s.action END,
       revision = GREATEST(s.revision, EXCLUDED.revision)
     RETURNING s.screening_id, CASE WHEN ${isForPeople} THEN console.waits_since(s.action, s.revision, s.decisions, s.result, s.results) END AS waits_since),
     ended AS (
       UPDATE console.reviews r SET due_at = NULL FROM stored s
       WHERE r.screening_id = s.screening_id AND s.waits_since IS NULL AND NOT r.due_by_people AND r.due_at IS NOT NULL)
     INSERT INTO console.reviews AS r (screening_id, due_at, due_by_people)
     SELECT screening_id, waits_since + make_interval(secs => $12::double precision / 1000), false FROM stored
     WHERE waits_since IS NOT NULL AND $12::double precision > 0
     ON CONFLICT (screening_id) DO UPDATE SET due_at = EXCLUDED.due_at WHERE NOT r.due_by_people AND r.due_at IS DISTINCT FROM EXCLUDED.due_at`),
    [
      rows.map((row) => row.screeningId),
      rows.map((row) => row.requestedAt),
      jsonArray(
        'jsonb',
        rows.map((row) => json(row.request)),
      ),
      rows.map((row) => row.requestRank),
      jsonArray(
        'jsonb',
        rows.map((row) => (row.result === null ? null : json(row.result))),
      ),
      jsonArray(
        'jsonb',
        rows.map((row) => (row.paths === null ? null : json(row.paths))),
      ),
      rows.map((row) => row.resultRank),
      jsonArray(
        'jsonb',
        rows.map((row) => json(Object.fromEntries(row.results))),
      ),
      jsonArray(
        'jsonb',
        rows.map((row) => json(Object.fromEntries(row.decisions))),
      ),
      latest.map((decision) => decision?.revision ?? 0),
      latest.map((decision) => decision?.action ?? null),
      dueMs,
    ],
  );
}

/** One row for each screening, since a statement may change a row only once. */
function fold(facts: readonly ScreeningUpdate[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const { decision, ...fact } of facts) {
    const before = rows.get(fact.screeningId);
    const decisions = new Map(before?.decisions);
    if (decision !== null && !decisions.has(decision.revision)) decisions.set(decision.revision, decision);
    const results = new Map(before?.results);
    if (fact.result !== null) results.set(String(fact.resultRank), summaryOf(fact.result));
    rows.set(fact.screeningId, { ...(before === undefined ? fact : merge(before, fact)), decisions, results });
  }
  return rows;
}

type Parts = Omit<ScreeningUpdate, 'decision'>;

function merge(a: Parts, b: Parts): Parts {
  const { request, requestRank } = b.requestRank > a.requestRank ? b : a;
  const { result, paths, resultRank } = b.resultRank > a.resultRank ? b : a;
  const requestedAt = a.requestedAt < b.requestedAt ? a.requestedAt : b.requestedAt;
  return { screeningId: a.screeningId, requestedAt, request, requestRank, result, paths, resultRank };
}

function later(a: Decision | undefined, b: Decision): Decision {
  return a === undefined || b.revision > a.revision ? b : a;
}

/** jsonb cannot hold NUL; a stray one must not hide the screening. */
function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000')) return text;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.replaceAll('\0', '\ufffd') : part));
}
