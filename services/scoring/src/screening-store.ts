import type { ScreeningRequested } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { advisoryLock, prepared, type Queryable } from '@weir/postgres';
import { isRenewal } from './reuse.ts';
import { scoredEventId } from './scored-event.ts';

/**
 * Gives each renewal the next attempt number, since its producer does not know the number of attempts. A repeated renewal keeps its number.
 * A re-screening that got the same number meanwhile answers the renewal.
 */
export async function numberRenewals(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<ScreeningRequested[]> {
  const renewals = requests.filter(isRenewal);
  if (renewals.length === 0) return [...requests];
  const { rows } = await tx.query<{ screening_id: string; revision: number; own: number | null; latest: number }>(
    prepared(`SELECT u.id AS screening_id, u.revision, coalesce(max(s.attempt), 0) AS latest,
       min(s.attempt) FILTER (WHERE (s.request ->> 'renews_revision')::int = u.revision) AS own
     FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::int[]) AS t(id, revision)) u LEFT JOIN scoring.screenings s ON s.screening_id = u.id
     GROUP BY 1, 2`),
    [renewals.map((r) => r.screening_id), renewals.map((r) => r.renews_revision)],
  );
  const known = new Map(rows.map((row) => [`${row.screening_id}/${row.revision}`, row]));
  const last = new Map<string, number>();
  const note = (id: string, attempt: number): void => void last.set(id, Math.max(last.get(id) ?? 0, attempt));
  for (const { screening_id, latest } of rows) note(screening_id, latest);
  for (const request of requests) if (!isRenewal(request)) note(request.screening_id, request.attempt);
  return requests.map((request) => {
    const row = known.get(`${request.screening_id}/${request.renews_revision}`);
    if (row === undefined) return request;
    row.own ??= (last.get(request.screening_id) ?? 0) + 1;
    note(request.screening_id, row.own);
    return { ...request, attempt: row.own };
  });
}

/** Takes the lock of changed results in shared mode, so no request is answered by a result that is just being deleted. */
export async function insertScreenings(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ key: string }>(
    prepared(`WITH locked AS MATERIALIZED (SELECT ${advisoryLock('scoring-results', 'shared')})
     INSERT INTO scoring.screenings (screening_id, attempt, request, state, deadline_at)
     SELECT u.id, u.attempt, u.request, u.state, to_timestamp(u.deadline / 1000.0)
     FROM locked, unnest($1::uuid[], $2::int[], $3::jsonb[], $4::text[], $5::float8[]) AS u(id, attempt, request, state, deadline) ORDER BY 1, 2
     ON CONFLICT DO NOTHING RETURNING screening_id || '/' || attempt AS key`),
    [
      requests.map((r) => r.screening_id),
      requests.map((r) => r.attempt),
      requests.map((r) => JSON.stringify(r)),
      // Nobody waits for a re-screening, so it has no deadline. A first screening has one in every lane.
      requests.map((r) => (r.lane === 'rescreen' && r.attempt > 1 ? 'rescreen' : 'waiting')),
      requests.map((r) => r.deadline_at),
    ],
  );
  return new Set(rows.map((row) => row.key));
}

/** All attempts of a screening ask the same question: another one would give the transfer another subject's result. */
export async function requireSameQuestion(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<void> {
  const { rowCount } = await tx.query(
    prepared(`SELECT FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) AS u(id, chain, subject_type, subject, direction)
     CROSS JOIN LATERAL (SELECT FROM scoring.screenings s WHERE s.screening_id = u.id
       AND (s.request ->> 'chain', s.request ->> 'subject_type', s.request ->> 'subject', s.request ->> 'direction')
         IS DISTINCT FROM (u.chain, u.subject_type, u.subject, u.direction) LIMIT 1) AS other LIMIT 1`),
    [
      requests.map((r) => r.screening_id),
      requests.map((r) => r.chain),
      requests.map((r) => r.subject_type),
      requests.map((r) => r.subject),
      requests.map((r) => r.direction),
    ],
  );
  if (rowCount !== 0) throw new PoisonRecord('CONFLICTING_TRANSFER', 'the screening was requested before for another chain or subject');
}

/** Ids of the stored results of requests that came before. */
export async function repeated(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<string[]> {
  if (requests.length === 0) return [];
  const { rows } = await tx.query<{ screening_id: string; attempt: number; sequence: number }>(
    prepared(`SELECT s.screening_id, s.attempt, s.sequence FROM scoring.screenings s
     JOIN unnest($1::uuid[], $2::int[]) AS u(id, attempt) ON s.screening_id = u.id AND s.attempt = u.attempt WHERE s.sequence > 0`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt)],
  );
  return rows.flatMap((row) => Array.from({ length: row.sequence }, (_, index) => scoredEventId(row, index + 1)));
}

/** Records the first result of these requests. `open`: those that still wait for a lookup. */
export async function markScored(
  tx: Queryable,
  requests: readonly ScreeningRequested[],
  open: ReadonlySet<ScreeningRequested>,
): Promise<void> {
  if (requests.length === 0) return;
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET state = u.state, sequence = 1 FROM unnest($1::uuid[], $2::int[], $3::text[]) AS u(id, attempt, state)
       WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt), requests.map((r) => (open.has(r) ? 'held' : 'answered'))],
  );
}
