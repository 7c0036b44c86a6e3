import type { Lane, ScreeningRequested } from '@weir/contracts';
import { type Pool, type Queryable, transaction, prepared } from '@weir/postgres';
import type { Listing, LocalLists } from '@weir/sanctions';
import type { NewEvent, Outbox, StoredEvent } from '@weir/service-kit';
import { findListed, withMatch } from './listed.ts';
import { faultResult, type Result } from './outcome.ts';
import { scoredEvent, scoredEventId } from './scored-event.ts';

export const laneNumber: Readonly<Record<Lane, number>> = { withdrawal: 0, deposit: 1, rescreen: 2 };

export interface Admitted {
  /** To be published: results known at once, and those of requests that came again. */
  readonly events: readonly StoredEvent[];
  readonly fresh: readonly { request: ScreeningRequested; result: Result }[];
  readonly hits: number;
  readonly joined: number;
  readonly misses: number;
  /** Requests whose counterparty a local sanctions list names. */
  readonly listed: ReadonlyMap<ScreeningRequested, readonly Listing[]>;
}

/**
 * Takes requests in, in one transaction: what cannot be asked and what the cache answers has its result at once, the rest
 * waits for a lookup, its own or one that is under way. That a local sanctions list names the counterparty is told at once, and the lookup is still wanted.
 */
export async function admit(
  { pool, outbox, lists, provider }: { pool: Pool; outbox: Outbox; lists: LocalLists; provider: string },
  requests: readonly ScreeningRequested[],
  now: number,
): Promise<Admitted> {
  const unique = [...new Map(requests.map((request) => [`${request.screening_id}/${request.attempt}`, request])).values()];
  return transaction(pool, async (tx) => {
    const [added, cached] = await Promise.all([insertScreenings(tx, unique), findCached(tx, unique)]);
    const isNew = (request: ScreeningRequested): boolean => added.has(`${request.screening_id}/${request.attempt}`);
    const again = await repeated(
      tx,
      unique.filter((request) => !isNew(request)),
    );
    const fresh: { request: ScreeningRequested; result: Result }[] = [];
    const open: ScreeningRequested[] = [];
    const listed = await findListed(tx, lists, unique.filter(isNew), now);
    let hits = 0;
    for (const request of unique.filter(isNew)) {
      const hit = cached.get(flightKey(request));
      const result = faultResult(request, provider) ?? hit;
      if (result === undefined) open.push(request);
      else if (result === hit) hits += 1;
      if (listed.has(request)) fresh.push({ request, result: withMatch(result, provider) });
      else if (result !== undefined) fresh.push({ request, result });
    }
    const misses = await join(tx, open);
    await markTold(
      tx,
      fresh.map(({ request }) => request),
      new Set(open),
    );
    const events: NewEvent[] = fresh.map(({ request, result }) => scoredEvent(request, 1, result, now));
    const stored = await outbox.store(tx, events);
    return { events: [...stored, ...(await outbox.load(tx, again))], fresh, hits, misses, joined: open.length - misses, listed };
  });
}

/** Held by everybody who takes requests in, and alone by whoever notes that results have changed: no request is answered by what has just been struck out. */
export const resultsLock = 7_305_141_986n;

function flightKey(of: { chain: string; subject: string; direction: string }): string {
  return `${of.chain}\n${of.subject}\n${of.direction}`;
}

async function insertScreenings(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ key: string }>(
    prepared(`WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared($6))
     INSERT INTO scoring.screenings (screening_id, attempt, request, state, deadline_at)
     SELECT u.id, u.attempt, u.request, u.state, to_timestamp(u.deadline / 1000.0)
     FROM locked, unnest($1::uuid[], $2::int[], $3::jsonb[], $4::text[], $5::float8[]) AS u(id, attempt, request, state, deadline) ORDER BY 1, 2
     ON CONFLICT DO NOTHING RETURNING screening_id || '/' || attempt AS key`),
    [
      requests.map((r) => r.screening_id),
      requests.map((r) => r.attempt),
      requests.map((r) => JSON.stringify(r)),
      // Nobody waits for a re-screening: it has no deadline at which it would be held.
      requests.map((r) => (r.lane === 'rescreen' ? 'rescreen' : 'waiting')),
      requests.map((r) => r.deadline_at),
      resultsLock,
    ],
  );
  return new Set(rows.map((row) => row.key));
}

/** Ids of the last results of requests that were taken in before. */
async function repeated(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<string[]> {
  if (requests.length === 0) return [];
  const { rows } = await tx.query<{ screening_id: string; attempt: number; sequence: number }>(
    prepared(`SELECT s.screening_id, s.attempt, s.sequence FROM scoring.screenings s
     JOIN unnest($1::uuid[], $2::int[]) AS u(id, attempt) ON s.screening_id = u.id AND s.attempt = u.attempt WHERE s.sequence > 0`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt)],
  );
  return rows.flatMap((row) => Array.from({ length: row.sequence }, (_, index) => scoredEventId(row, index + 1)));
}

async function findCached(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Map<string, Result>> {
  if (requests.length === 0) return new Map();
  const { rows } = await tx.query<{ chain: string; subject: string; direction: string; result: Result }>(
    prepared(`SELECT r.chain, r.subject, r.direction, r.result FROM scoring.results r
     JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS t(chain, subject, direction)) u USING (chain, subject, direction)
     WHERE r.good_until > now()`),
    [requests.map((r) => r.chain), requests.map((r) => r.subject), requests.map((r) => r.direction)],
  );
  return new Map(rows.map((row) => [flightKey(row), row.result]));
}

/** Notes the first result of these requests. `open`: those that still wait for an answer. */
async function markTold(tx: Queryable, requests: readonly ScreeningRequested[], open: ReadonlySet<ScreeningRequested>): Promise<void> {
  if (requests.length === 0) return;
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET state = u.state, sequence = 1 FROM unnest($1::uuid[], $2::int[], $3::text[]) AS u(id, attempt, state)
       WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt), requests.map((r) => (open.has(r) ? 'held' : 'answered'))],
  );
}

/** Ties each request to the lookup of its subject. Returns how many lookups are new. Rows are locked in the order of their key. */
async function join(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<number> {
  if (requests.length === 0) return 0;
  const first = new Map<string, ScreeningRequested>();
  for (const request of requests) {
    const before = first.get(flightKey(request));
    if (before === undefined || laneNumber[request.lane] < laneNumber[before.lane]) first.set(flightKey(request), request);
  }
  const flights = [...first.values()];
  const { rows } = await tx.query<{ lookup_id: bigint; chain: string; subject: string; direction: string; is_new: boolean }>(
    prepared(`INSERT INTO scoring.lookups AS l (chain, subject, direction, subject_type, coin, lane, next_at)
     SELECT u.chain, u.subject, u.direction, u.subject_type, u.coin, u.lane, now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[]) AS u(chain, subject, direction, subject_type, coin, lane)
     ORDER BY u.chain, u.subject, u.direction
     ON CONFLICT (chain, subject, direction) DO UPDATE SET lane = least(l.lane, excluded.lane), next_at = least(l.next_at, now() + interval '1 second')
     RETURNING lookup_id, chain, subject, direction, xmax = 0 AS is_new`),
    [
      flights.map((r) => r.chain),
      flights.map((r) => r.subject),
      flights.map((r) => r.direction),
      flights.map((r) => r.subject_type),
      flights.map((r) => r.coin),
      flights.map((r) => laneNumber[r.lane]),
    ],
  );
  const lookupOf = new Map(rows.map((row) => [flightKey(row), row.lookup_id]));
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET lookup_id = u.lookup_id FROM unnest($1::uuid[], $2::int[], $3::int8[]) AS u(id, attempt, lookup_id)
     WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt), requests.map((r) => String(lookupOf.get(flightKey(r))))],
  );
  return rows.filter((row) => row.is_new).length;
}
