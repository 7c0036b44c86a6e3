import type { ScreeningRequested } from '@weir/contracts';
import { prepared, type Pool, type Queryable, transaction } from '@weir/postgres';
import { type Outbox, requestedEvent, type StoredEvent } from '@weir/service-kit';

/** Changed subjects per transaction, and screenings of each: a few hundred events at most. */
const subjectsAtOnce = 10;
const screeningsEach = 50;

interface Row extends Record<string, unknown> {
  chain: string;
  subject: string;
  direction: string;
  /** Null: the subject has no screening, or no further one. */
  screening_id: string | null;
  requested_ms: bigint;
  request: ScreeningRequested;
  latest_attempt: number;
  is_answered: boolean;
}

export interface AskedAgain {
  readonly events: readonly StoredEvent[];
  readonly requests: readonly ScreeningRequested[];
  readonly isDone: boolean;
}

/**
 * Requests the next attempt of answered screenings of changed subjects, a bounded number, newest first. Progress is stored with the events.
 * A waiting screening needs none, since its lookup begins a new round; except one that waits for the counterparty of a transaction known
 * by now. Screenings requested before `sinceMs` (Unix ms) are left alone.
 */
export async function askAgain(pool: Pool, outbox: Outbox, { now, sinceMs }: { now: number; sinceMs: number }): Promise<AskedAgain> {
  return transaction(pool, async (tx) => {
    const rows = await readNext(tx, sinceMs);
    if (rows.length === 0) return { events: [], requests: [], isDone: true };
    // Copies of the first request, timestamps included, so that a repeated event has the same bytes.
    const requests = rows
      .filter(({ screening_id, is_answered, request }) => screening_id !== null && is_answered && request.fault === null)
      .map(
        ({ request, latest_attempt }): ScreeningRequested => ({
          ...request,
          attempt: latest_attempt + 1,
          lane: 'rescreen',
          token_id: null,
        }),
      );
    const unique = [...new Map(requests.map((request) => [request.screening_id, request])).values()];
    await moveOn(tx, rows);
    const events = await outbox.store(
      tx,
      unique.map((request) => requestedEvent(request, now)),
    );
    return { events, requests: unique, isDone: false };
  });
}

/** The newest screenings of a changed subject `r`, by an index that begins with the hash of `subject`. */
const pageOf = (subject: string, isOfSubject: string): string => `
       SELECT f.screening_id, (f.request ->> 'requested_at')::int8 AS requested_ms, f.request FROM scoring.screenings f
       WHERE f.attempt = 1 AND hashtextextended((f.request ->> 'chain') || ' ' || (${subject}), 0) = hashtextextended(r.chain || ' ' || r.subject, 0)
         AND (f.request ->> 'requested_at')::int8 >= greatest($1, r.since_ms)
         AND ((f.request ->> 'requested_at')::int8, f.screening_id)
           < (coalesce(r.before_ms, 9223372036854775807), coalesce(r.before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
         AND f.request ->> 'chain' = r.chain AND ${isOfSubject} AND (r.direction = '' OR f.request ->> 'direction' = r.direction)
       ORDER BY (f.request ->> 'requested_at')::int8 DESC, f.screening_id DESC LIMIT $3`;

/** A subject without a (further) screening gives one row with null. */
async function readNext(tx: Queryable, sinceMs: number): Promise<Row[]> {
  // The planner expects few screenings of a subject, and would fetch and sort them. The index has them in order, so only a page of a
  // million is read.
  await tx.query(prepared(`SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`));
  const { rows } = await tx.query<Row>(
    prepared(`SELECT r.chain, r.subject, r.direction, s.screening_id, s.requested_ms, s.request, latest.attempt AS latest_attempt, latest.is_answered
     FROM (SELECT chain, subject, direction, before_ms, before_id, since_ms FROM scoring.rescreens ORDER BY worked_at LIMIT $2 FOR UPDATE SKIP LOCKED) r
     LEFT JOIN LATERAL (
       SELECT f.screening_id, f.requested_ms, f.request FROM (
         (${pageOf(`f.request ->> 'subject'`, `f.request ->> 'subject' = r.subject`)})
         UNION ALL (${pageOf('f.counterparty', 'f.counterparty = r.subject')})) f
       ORDER BY f.requested_ms DESC, f.screening_id DESC LIMIT $3) s ON true
     LEFT JOIN LATERAL (
       -- A deposit that its chain took back stays held.
       SELECT a.attempt, (a.state = 'answered' OR (a.counterparty IS NOT NULL AND a.request ->> 'subject' = r.subject))
         AND NOT coalesce(a.request -> 'warnings' ? 'TAKEN_BACK', false) AS is_answered
       FROM scoring.screenings a
       WHERE a.screening_id = s.screening_id ORDER BY a.attempt DESC LIMIT 1) latest ON true
     ORDER BY s.requested_ms DESC, s.screening_id DESC`),
    [sinceMs, subjectsAtOnce, screeningsEach],
  );
  return rows;
}

async function moveOn(tx: Queryable, rows: readonly Row[]): Promise<void> {
  const bySubject = Map.groupBy(rows, ({ chain, subject, direction }) => `${chain}\n${subject}\n${direction}`);
  const [full, done]: [Row[], Row[]] = [[], []];
  for (const page of bySubject.values()) {
    const last = page.at(-1);
    if (last !== undefined) (page.length === screeningsEach ? full : done).push(last);
  }
  await tx.query(
    prepared(`UPDATE scoring.rescreens r SET before_ms = u.ms, before_id = u.id, worked_at = clock_timestamp()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::uuid[]) AS u(chain, subject, direction, ms, id)
     WHERE r.chain = u.chain AND r.subject = u.subject AND r.direction = u.direction`),
    [...keysOf(full), full.map(({ requested_ms }) => String(requested_ms)), full.map(({ screening_id }) => screening_id)],
  );
  await tx.query(
    prepared(`DELETE FROM scoring.rescreens r USING unnest($1::text[], $2::text[], $3::text[]) AS u(chain, subject, direction)
     WHERE r.chain = u.chain AND r.subject = u.subject AND r.direction = u.direction`),
    keysOf(done),
  );
}

function keysOf(rows: readonly Row[]): string[][] {
  return [rows.map(({ chain }) => chain), rows.map(({ subject }) => subject), rows.map(({ direction }) => direction)];
}
