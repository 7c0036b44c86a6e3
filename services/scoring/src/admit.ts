import type { Listing, LocalLists } from '@weir/chain-store/sanctions';
import type { Lane, Question, ScreeningRequested } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { advisoryLock, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import type { NewEvent, Outbox, StoredEvent } from '@weir/service-kit';
import { findListed, withMatch } from './listed.ts';
import { faultResult, type Result } from './result.ts';
import type { FindPrices, PriceFound, Prices } from './prices.ts';
import { isRenewal, mayReuse, type ReuseSettings } from './reuse.ts';
import { scoredEventId, scoredEvents } from './scored-event.ts';
import { bothQuestions, counterpartyQuestion, noteUnknown, stricterOf } from './unknown-transaction.ts';

/** The place of each lane in `lanes` of @weir/rate-budget. */
export const laneNumber: Readonly<Record<Lane, number>> = { withdrawal: 0, deposit: 1, rescreen: 2 };

export interface Told {
  readonly request: ScreeningRequested;
  readonly result: Result;
  readonly questions?: readonly Question[] | undefined;
}

export interface Admitted {
  /** To be published: immediate results, and the stored results of repeated requests. */
  readonly events: readonly StoredEvent[];
  readonly fresh: readonly Told[];
  readonly hits: number;
  readonly joined: number;
  readonly misses: number;
  readonly listed: ReadonlyMap<ScreeningRequested, readonly Listing[]>;
}

interface AdmitDeps {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly lists: LocalLists;
  readonly provider: string;
  readonly prices: Pick<Prices, 'provide'>;
  readonly reuse: ReuseSettings;
}

/** A lookup completed between the cache read and the insert, so this request needs another lookup. */
class CacheChanged extends Error {}

/**
 * Admits requests in one transaction. Rejected requests and cache hits get a result at once; each other one waits for a lookup, new or
 * open. A local sanctions match is published at once and still waits for its lookup. Rejects with `PoisonRecord` when another attempt of a
 * screening was requested for another subject.
 */
export async function admit(deps: AdmitDeps, requests: readonly ScreeningRequested[], now: number): Promise<Admitted> {
  for (;;) {
    try {
      return await deps.prices.provide((find) => transaction(deps.pool, (tx) => admitIn(tx, deps, requests, now, find)));
    } catch (error) {
      // All lookups are locked at once in key order: a second statement could deadlock.
      if (!(error instanceof CacheChanged)) throw error;
    }
  }
}

async function admitIn(
  tx: Queryable,
  { outbox, lists, provider, reuse }: AdmitDeps,
  requests: readonly ScreeningRequested[],
  now: number,
  findPrices: FindPrices,
): Promise<Admitted> {
  // Before any lock is taken: a missing price rolls the transaction back.
  findPrices(requests);
  const numbered = await numberRenewals(tx, requests);
  const unique = [...new Map(numbered.map((request) => [`${request.screening_id}/${request.attempt}`, request])).values()];
  const reusing = reusable(unique, reuse, findPrices);
  const [added, cached] = await Promise.all([insertScreenings(tx, unique), findCached(tx, [...reusing])]);
  await requireSameQuestion(tx, numbered);
  const isNew = (request: ScreeningRequested): boolean => added.has(`${request.screening_id}/${request.attempt}`);
  const again = await repeated(
    tx,
    unique.filter((request) => !isNew(request)),
  );
  const wanted = unique.filter(isNew);
  const listed = await findListed(tx, lists, wanted);
  const askable = wanted.filter((request) => request.fault === null);
  const { unknown, asked } = knownUnknown(askable, reusing, cached);
  const { answers, misses } = await answersOf(
    tx,
    askable.map((request) => asked.get(request) ?? request),
    reuse,
    findPrices,
    cached,
  );
  const { fresh, open, hits } = settle(wanted, { asked, answers, unknown, listed, provider });
  await noteUnknown(tx, unknown);
  await markTold(
    tx,
    fresh.map(({ request }) => request),
    new Set(open),
  );
  const events: NewEvent[] = scoredEvents(
    fresh.map((one) => ({ ...one, sequence: 1 })),
    now,
    findPrices,
  );
  const stored = await outbox.store(tx, events);
  return { events: [...stored, ...(await outbox.load(tx, again))], fresh, hits, misses, joined: open.length - misses, listed };
}

/** Splits new requests into those with a result (`fresh`) and those that wait for a lookup (`open`). One with a sanctions match may be both. */
function settle(
  wanted: readonly ScreeningRequested[],
  of: {
    asked: ReadonlyMap<ScreeningRequested, ScreeningRequested>;
    answers: Awaited<ReturnType<typeof answersOf>>['answers'];
    unknown: ReturnType<typeof knownUnknown>['unknown'];
    listed: Admitted['listed'];
    provider: string;
  },
) {
  const { asked, answers, unknown, listed, provider } = of;
  const fresh: (Told & { reusedFrom?: number | undefined })[] = [];
  const open: ScreeningRequested[] = [];
  let hits = 0;
  for (const request of wanted) {
    const question = asked.get(request) ?? request;
    const hit = answers.get(question);
    const first = unknown.get(request);
    if (hit?.result.outcome === 'NO_DATA' && counterpartyQuestion(question) !== undefined) throw new CacheChanged();
    const answer = first === undefined || hit === undefined ? hit?.result : stricterOf(first, hit.result);
    const result = faultResult(request, provider) ?? answer;
    if (result === undefined) open.push(request);
    else if (hit !== undefined) hits += 1;
    if (result === undefined && !listed.has(request)) continue;
    const told = listed.has(request) ? withMatch(result, provider) : (result as Result);
    const questions = first === undefined ? undefined : bothQuestions(request, first, hit?.result ?? told);
    fresh.push({ request, result: told, reusedFrom: hit?.answeredAt, questions });
  }
  return { fresh, open, hits };
}

function reusable(requests: readonly ScreeningRequested[], reuse: ReuseSettings, findPrices: FindPrices): Set<ScreeningRequested> {
  const prices = findPrices(requests);
  return new Set(requests.filter((request, n) => mayReuse(request, prices[n] as PriceFound, reuse)));
}

/** Requests whose transaction the risk API is known not to know, with that answer and the counterparty question that replaces theirs. */
function knownUnknown(
  requests: readonly ScreeningRequested[],
  reusing: ReadonlySet<ScreeningRequested>,
  cached: ReadonlyMap<string, Cached>,
): { unknown: Map<ScreeningRequested, Result>; asked: Map<ScreeningRequested, ScreeningRequested> } {
  const unknown = new Map<ScreeningRequested, Result>();
  const asked = new Map<ScreeningRequested, ScreeningRequested>();
  for (const request of requests) {
    const answer = reusing.has(request) ? cached.get(flightKey(request)) : undefined;
    const question = answer?.result.outcome === 'NO_DATA' ? counterpartyQuestion(request) : undefined;
    if (answer === undefined || question === undefined) continue;
    unknown.set(request, answer.result);
    asked.set(request, question);
  }
  return { unknown, asked };
}

/** Known answers to these questions; the others wait for a lookup from now on. `known`: cache entries already read in this transaction. */
export async function answersOf(
  tx: Queryable,
  questions: readonly ScreeningRequested[],
  reuse: ReuseSettings,
  findPrices: FindPrices,
  known: ReadonlyMap<string, Cached> = new Map(),
): Promise<{ answers: Map<ScreeningRequested, Cached>; misses: number }> {
  const reusing = reusable(questions, reuse, findPrices);
  const cached = new Map([
    ...known,
    ...(await findCached(
      tx,
      [...reusing].filter((question) => !known.has(flightKey(question))),
    )),
  ]);
  const isCached = (question: ScreeningRequested): boolean => reusing.has(question) && cached.has(flightKey(question));
  const { results: late, misses } = await join(
    tx,
    questions.filter((question) => !isCached(question)),
    reusing,
  );
  const answers = new Map<ScreeningRequested, Cached>();
  for (const question of reusing) {
    const answer = cached.get(flightKey(question)) ?? late.get(flightKey(question));
    if (answer !== undefined) answers.set(question, answer);
  }
  return { answers, misses };
}

function flightKey(of: { chain: string; subject: string; direction: string }): string {
  return `${of.chain}\n${of.subject}\n${of.direction}`;
}

/**
 * Gives each renewal the next attempt number, since its producer does not know the number of attempts. A repeated renewal keeps its number.
 * A re-screening that got the same number meanwhile answers the renewal.
 */
async function numberRenewals(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<ScreeningRequested[]> {
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
async function insertScreenings(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Set<string>> {
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
async function requireSameQuestion(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<void> {
  const { rowCount } = await tx.query(
    prepared(`SELECT FROM scoring.screenings s
     JOIN unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) AS u(id, chain, subject_type, subject, direction) ON s.screening_id = u.id
     WHERE (s.request ->> 'chain', s.request ->> 'subject_type', s.request ->> 'subject', s.request ->> 'direction')
       IS DISTINCT FROM (u.chain, u.subject_type, u.subject, u.direction) LIMIT 1`),
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

async function repeated(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<string[]> {
  if (requests.length === 0) return [];
  const { rows } = await tx.query<{ screening_id: string; attempt: number; sequence: number }>(
    prepared(`SELECT s.screening_id, s.attempt, s.sequence FROM scoring.screenings s
     JOIN unnest($1::uuid[], $2::int[]) AS u(id, attempt) ON s.screening_id = u.id AND s.attempt = u.attempt WHERE s.sequence > 0`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt)],
  );
  return rows.flatMap((row) => Array.from({ length: row.sequence }, (_, index) => scoredEventId(row, index + 1)));
}

export interface Cached {
  readonly result: Result;
  /** When the risk API gave it; Unix ms. */
  readonly answeredAt: number;
}

async function findCached(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<Map<string, Cached>> {
  if (requests.length === 0) return new Map();
  const { rows } = await tx.query<{ chain: string; subject: string; direction: string; result: Result; answered_at: Date }>(
    prepared(`SELECT r.chain, r.subject, r.direction, r.result, r.answered_at FROM scoring.results r
     JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS t(chain, subject, direction)) u USING (chain, subject, direction)
     WHERE r.expires_at > now()`),
    [requests.map((r) => r.chain), requests.map((r) => r.subject), requests.map((r) => r.direction)],
  );
  return new Map(rows.map((row) => [flightKey(row), { result: row.result, answeredAt: row.answered_at.getTime() }]));
}

/** Records the first result of these requests. `open`: those that still wait for a lookup. */
async function markTold(tx: Queryable, requests: readonly ScreeningRequested[], open: ReadonlySet<ScreeningRequested>): Promise<void> {
  if (requests.length === 0) return;
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET state = u.state, sequence = 1 FROM unnest($1::uuid[], $2::int[], $3::text[]) AS u(id, attempt, state)
       WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [requests.map((r) => r.screening_id), requests.map((r) => r.attempt), requests.map((r) => (open.has(r) ? 'held' : 'answered'))],
  );
}

interface OpenLookup extends Record<string, unknown> {
  lookup_id: bigint;
  chain: string;
  subject: string;
  direction: string;
  is_new: boolean;
}

/**
 * Ties each request to the lookup of its subject. Returns the number of new lookups, and the results stored since the cache was read.
 *
 * A lookup may be completed and deleted between that read and the insert. The insert waits for that transaction, and nobody can complete
 * the new row before commit. So a second statement sees every such result.
 */
async function join(
  tx: Queryable,
  requests: readonly ScreeningRequested[],
  reusing: ReadonlySet<ScreeningRequested>,
): Promise<{ results: Map<string, Cached>; misses: number }> {
  if (requests.length === 0) return { results: new Map(), misses: 0 };
  const opened = await openLookups(tx, requests);
  const isNew = new Set(opened.filter((row) => row.is_new).map(flightKey));
  const results = await findCached(
    tx,
    requests.filter((request) => reusing.has(request) && isNew.has(flightKey(request))),
  );
  const waiting = requests.filter((request) => !reusing.has(request) || !results.has(flightKey(request)));
  const needed = new Set(waiting.map(flightKey));
  const needless = opened.filter((row) => !needed.has(flightKey(row)));
  if (needless.length > 0)
    await tx.query(prepared('DELETE FROM scoring.lookups WHERE lookup_id = ANY($1::int8[])'), [
      needless.map(({ lookup_id }) => String(lookup_id)),
    ]);
  const lookupOf = new Map(opened.map((row) => [flightKey(row), row.lookup_id]));
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET lookup_id = u.lookup_id FROM unnest($1::uuid[], $2::int[], $3::int8[]) AS u(id, attempt, lookup_id)
     WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [waiting.map((r) => r.screening_id), waiting.map((r) => r.attempt), waiting.map((r) => String(lookupOf.get(flightKey(r))))],
  );
  return { results, misses: isNew.size - needless.length };
}

/** Rows are locked in key order. */
async function openLookups(tx: Queryable, requests: readonly ScreeningRequested[]): Promise<OpenLookup[]> {
  const first = new Map<string, ScreeningRequested>();
  for (const request of requests) {
    const before = first.get(flightKey(request));
    if (before === undefined || laneNumber[request.lane] < laneNumber[before.lane]) first.set(flightKey(request), request);
  }
  const flights = [...first.values()];
  const { rows } = await tx.query<OpenLookup>(
    prepared(`INSERT INTO scoring.lookups AS l (chain, subject, direction, subject_type, coin, lane, token_id, next_at)
     SELECT u.chain, u.subject, u.direction, u.subject_type, u.coin, u.lane, u.token_id, now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[])
       AS u(chain, subject, direction, subject_type, coin, lane, token_id)
     ORDER BY u.chain, u.subject, u.direction
     ON CONFLICT (chain, subject, direction) DO UPDATE SET lane = least(l.lane, excluded.lane),
       token_id = CASE WHEN excluded.lane < l.lane THEN excluded.token_id ELSE l.token_id END, next_at = least(l.next_at, now() + interval '1 second')
     RETURNING lookup_id, chain, subject, direction, xmax = 0 AS is_new`),
    [
      flights.map((r) => r.chain),
      flights.map((r) => r.subject),
      flights.map((r) => r.direction),
      flights.map((r) => r.subject_type),
      flights.map((r) => r.coin),
      flights.map((r) => laneNumber[r.lane]),
      // Requests stored by earlier versions lack it.
      flights.map((r) => r.token_id ?? null),
    ],
  );
  return rows;
}
