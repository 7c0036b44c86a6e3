import type { ScreeningRequested } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { advisoryLock, jsonArray, prepared, type Queryable } from '@weir/postgres';
import { TryAgain } from '@weir/service-kit';
import type { Result } from './result.ts';
import { isRenewal } from './reuse.ts';
import { scoredEventId } from './scored-event.ts';
import { counterpartyQuestion } from './unknown-transaction.ts';

/**
 * Gives each renewal the next attempt number, since its producer does not know the number of attempts. A repeated renewal keeps its number.
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

/** Of requests that came before: their attempts by `attemptKey`, with the number of results. */
export type Attempts = ReadonlyMap<string, { readonly sequence: number }>;

export function attemptKey({ screening_id, attempt }: Pick<ScreeningRequested, 'screening_id' | 'attempt'>): string {
  return `${screening_id}/${attempt}`;
}

/**
 * Stored attempts of these requests. Takes the lock of changed results in shared mode, so no request is answered by a result that is just
 * being deleted. Throws `PoisonRecord` where another attempt of a screening asked another question: it would give the transfer another
 * subject's result.
 */
export async function findAttempts(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Attempts> {
  // The outer join takes the lock even where nothing is found. OFFSET 0: otherwise PostgreSQL reads all screenings before the first statistics.
  const { rows } = await tx.query<{ screening_id: string | null; attempt: number; sequence: number; is_same: boolean }>(
    prepared(`WITH locked AS MATERIALIZED (SELECT ${advisoryLock('scoring-results', 'shared')})
     SELECT s.screening_id, s.attempt, s.sequence, s.is_same FROM locked LEFT JOIN (
       SELECT found.* FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) AS u(id, attempt, chain, subject_type, subject, direction)
       CROSS JOIN LATERAL (SELECT s.screening_id, s.attempt, s.sequence,
           -- Of an erased one nothing can be compared, and nothing is asked again.
           s.request ? 'erased' OR (s.request ->> 'chain', s.request ->> 'subject_type', s.request ->> 'subject', s.request ->> 'direction')
             IS NOT DISTINCT FROM (u.chain, u.subject_type, u.subject, u.direction) AS is_same
         FROM scoring.screenings s WHERE s.screening_id = u.id OFFSET 0) AS found
       WHERE found.attempt = u.attempt OR NOT found.is_same) s ON true`),
    [
      requests.map((r) => r.screening_id),
      requests.map((r) => r.attempt),
      requests.map((r) => r.chain),
      requests.map((r) => r.subject_type),
      requests.map((r) => r.subject),
      requests.map((r) => r.direction),
    ],
  );
  const questions = new Map(requests.map((request) => [request.screening_id, request]));
  const isOther = (request: ScreeningRequested): boolean => !asksTheSame(request, questions.get(request.screening_id) ?? request);
  const known = new Map<string, { sequence: number }>();
  for (const { screening_id, attempt, sequence, is_same } of rows) {
    if (screening_id === null) continue;
    if (!is_same) throw otherQuestion();
    known.set(attemptKey({ screening_id, attempt }), { sequence });
  }
  if (requests.some(isOther)) throw otherQuestion();
  return known;
}

function asksTheSame(one: ScreeningRequested, other: ScreeningRequested): boolean {
  return (['chain', 'subject_type', 'subject', 'direction'] as const).every((word) => one[word] === other[word]);
}

function otherQuestion(): PoisonRecord {
  return new PoisonRecord('CONFLICTING_TRANSFER', 'the screening was requested before for another chain or subject');
}

/** Ids of the stored results of one attempt. */
export function resultIds(request: ScreeningRequested, sequence: number): string[] {
  return Array.from({ length: sequence }, (_, index) => scoredEventId(request, index + 1));
}

/** An attempt as its transaction leaves it. */
export interface NewAttempt {
  readonly request: ScreeningRequested;
  readonly hasResult: boolean;
  /** The lookup that it waits for. */
  readonly lookupId: bigint | undefined;
  /** The known answer about its unknown transaction. */
  readonly unknownTransaction: Result | undefined;
}

/** Throws `TryAgain` if another transaction has stored one of them since `findAttempts`. */
export async function insertAttempts(tx: Queryable, attempts: readonly NewAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const { rowCount } = await tx.query(
    prepared(`INSERT INTO scoring.screenings (screening_id, attempt, request, state, sequence, deadline_at, lookup_id, unknown_transaction, counterparty)
     SELECT u.id, u.attempt, u.request, u.state, u.sequence, to_timestamp(u.deadline / 1000.0), u.lookup_id, u.unknown_transaction, u.counterparty
     FROM unnest($1::uuid[], $2::int[], $3::jsonb[], $4::text[], $5::int[], $6::float8[], $7::int8[], $8::jsonb[], $9::text[])
       AS u(id, attempt, request, state, sequence, deadline, lookup_id, unknown_transaction, counterparty) ORDER BY 1, 2
     ON CONFLICT DO NOTHING`),
    [
      attempts.map(({ request }) => request.screening_id),
      attempts.map(({ request }) => request.attempt),
      jsonArray(
        'jsonb',
        attempts.map(({ request }) => JSON.stringify(request)),
      ),
      attempts.map(stateOf),
      attempts.map(({ hasResult }) => Number(hasResult)),
      attempts.map(({ request }) => request.deadline_at),
      attempts.map(({ lookupId }) => lookupId?.toString() ?? null),
      jsonArray(
        'jsonb',
        attempts.map(({ unknownTransaction }) => (unknownTransaction === undefined ? null : JSON.stringify(unknownTransaction))),
      ),
      attempts.map(({ request, unknownTransaction }) =>
        unknownTransaction === undefined ? null : (counterpartyQuestion(request)?.subject ?? null),
      ),
    ],
  );
  if (rowCount !== attempts.length) throw new TryAgain(() => Promise.resolve());
}

function stateOf({ request, hasResult, lookupId }: NewAttempt): string {
  if (hasResult) return lookupId === undefined ? 'answered' : 'held';
  // Nobody waits for a re-screening, so it has no deadline. A first screening has one in every lane.
  return request.lane === 'rescreen' && request.attempt > 1 ? 'rescreen' : 'waiting';
}
