import type { LocalLists } from '@weir/chain-store/sanctions';
import type { Direction, Lane, Question, ReasonCode, ScreeningRequested, SubjectType } from '@weir/contracts';
import { advisoryLock, type Claimed, deleteInSteps, type Pool, prepared, type Queryable, rowsAStep, transaction } from '@weir/postgres';
import { lanes } from '@weir/rate-budget';
import type { Outbox, StoredEvent } from '@weir/service-kit';
import { answersOf, laneNumber, type Told } from './admit.ts';
import { findListed, withMatch } from './listed.ts';
import { lookupDelayMs, type Result, withoutLevel } from './result.ts';
import type { ReuseSettings } from './reuse.ts';
import type { Prices } from './prices.ts';
import { scoredEvents } from './scored-event.ts';
import { bothQuestions, counterpartyQuestion, hasCounterparty, noteUnknown, stricterOf } from './unknown-transaction.ts';

export const lookups = { name: 'scoring.lookups', key: 'lookup_id', keyType: 'int8', lockOrder: 'chain, subject, direction' } as const;

/** One question to the risk API, claimed by this process. */
export interface Lookup extends Claimed {
  readonly id: bigint;
  readonly chain: string;
  readonly subject: string;
  readonly subjectType: SubjectType;
  readonly direction: Direction;
  readonly coin: string;
  /** The most urgent lane that waits for it. */
  lane: Lane;
  tokenId: string | null;
  readonly tries: number;
  /** A running task that an earlier owner created. */
  readonly taskId: string | null;
  /** Counts score changes: an answer asked for in an earlier round is void. */
  readonly round: number;
}

export interface Finished {
  readonly lookup: Lookup;
  readonly result: Result;
  /** Unix ms; null when the result is not kept. */
  readonly expiresAt: number | null;
}

/**
 * Claims due lookups without owner, per lane as many as there is room for. Replicas skip rows that another is claiming. `spent`: tokens
 * that have spent their share.
 */
export async function claim(pool: Pool, owner: string, room: Readonly<Record<Lane, number>>, spent: readonly string[]): Promise<Lookup[]> {
  const { rows } = await pool.query<{
    lookup_id: bigint;
    chain: string;
    subject: string;
    subject_type: SubjectType;
    direction: Direction;
    coin: string;
    lane: number;
    token_id: string | null;
    tries: number;
    task_id: string | null;
    round: number;
  }>(
    prepared(`UPDATE scoring.lookups SET owner = $1 WHERE lookup_id IN (
       SELECT due.lookup_id FROM unnest($2::smallint[], $3::int[]) AS want(lane, room) CROSS JOIN LATERAL (
         SELECT l.lookup_id FROM scoring.lookups l WHERE l.owner IS NULL AND l.lane = want.lane AND l.next_at <= now()
           AND (want.lane = $4 OR l.token_id IS NULL OR l.token_id <> ALL($5::text[]))
         ORDER BY l.next_at, l.lookup_id LIMIT want.room FOR UPDATE SKIP LOCKED) AS due)
     RETURNING lookup_id, chain, subject, subject_type, direction, coin, lane, token_id, tries, task_id, round`),
    [owner, lanes.map((lane) => laneNumber[lane]), lanes.map((lane) => Math.max(room[lane], 0)), laneNumber.rescreen, spent],
  );
  const claimed = rows.map((row) => ({
    id: row.lookup_id,
    chain: row.chain,
    subject: row.subject,
    subjectType: row.subject_type,
    direction: row.direction,
    coin: row.coin,
    lane: lanes[row.lane] ?? 'rescreen',
    tokenId: row.token_id,
    tries: row.tries,
    taskId: row.task_id,
    round: row.round,
    owner,
  }));
  return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Present lane and token of these lookups, without those that another process owns or whose round is over. */
export async function lanesOf(pool: Pool, queued: readonly Lookup[]): Promise<Map<bigint, Pick<Lookup, 'lane' | 'tokenId'>>> {
  const { rows } = await pool.query<{ lookup_id: bigint; lane: number; token_id: string | null }>(
    prepared(`SELECT l.lookup_id, l.lane, l.token_id FROM scoring.lookups l JOIN unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round`),
    [queued.map(({ id }) => String(id)), queued.map(({ owner }) => owner), queued.map(({ round }) => round)],
  );
  return new Map(rows.map((row) => [row.lookup_id, { lane: lanes[row.lane] ?? 'rescreen', tokenId: row.token_id }]));
}

const moveAtOnce = 1_000;

/**
 * Moves lookups of tokens that have spent their share into the rescreen lane. If another token's request waits too, the lookup stays in
 * that request's lane and that token pays. Returns the number moved, by the lane they left.
 */
export async function moveSpent(pool: Pool, spent: readonly string[]): Promise<Map<Lane, number>> {
  const moved = new Map<Lane, number>();
  for (let count = spent.length === 0 ? 0 : moveAtOnce; count === moveAtOnce; ) {
    const { rows } = await pool.query<{ before: number; is_moved: boolean }>(
      prepared(`UPDATE scoring.lookups l SET lane = coalesce(other.lane, $2), token_id = CASE WHEN other.lane IS NULL THEN l.token_id ELSE other.token_id END
       FROM (SELECT lookup_id, lane FROM scoring.lookups WHERE lane <> $2 AND token_id = ANY($1::text[])
         ORDER BY chain, subject, direction LIMIT ${moveAtOnce} FOR UPDATE SKIP LOCKED) AS own
       LEFT JOIN LATERAL (SELECT CASE s.request ->> 'lane' WHEN 'withdrawal' THEN 0 ELSE 1 END::smallint AS lane, s.request ->> 'token_id' AS token_id
         FROM scoring.screenings s WHERE s.lookup_id = own.lookup_id AND s.state = 'waiting' AND s.request ->> 'lane' <> 'rescreen'
           AND coalesce(s.request ->> 'token_id', '') <> ALL($1::text[]) ORDER BY 1 LIMIT 1) AS other ON true
       WHERE l.lookup_id = own.lookup_id RETURNING own.lane AS before, other.lane IS NULL AS is_moved`),
      [spent, laneNumber.rescreen],
    );
    count = rows.length;
    for (const { before, is_moved } of rows) {
      const lane = lanes[before] ?? 'rescreen';
      if (is_moved) moved.set(lane, (moved.get(lane) ?? 0) + 1);
    }
  }
  return moved;
}

/** Stores the task, so a restart queries it instead of creating another. */
export async function saveTask(pool: Pool, lookup: Lookup, taskId: string): Promise<void> {
  await pool.query(prepared('UPDATE scoring.lookups SET task_id = $4 WHERE lookup_id = $1 AND owner = $2 AND round = $3'), [
    lookup.id,
    lookup.owner,
    lookup.round,
    taskId,
  ]);
}

/** Records why a lookup has no answer yet; a hold at the deadline names it. */
export async function recordError(pool: Pool, lookup: Lookup, lastError: ReasonCode): Promise<void> {
  await pool.query(prepared('UPDATE scoring.lookups SET last_error = $4 WHERE lookup_id = $1 AND owner = $2 AND round = $3'), [
    lookup.id,
    lookup.owner,
    lookup.round,
    lastError,
  ]);
}

export interface Release {
  readonly lastError: ReasonCode | null;
  /** The task is still valid: the next owner follows it. */
  readonly keepTask: boolean;
  /** Until it is due again; left out after a failure, for which the delay grows. */
  readonly delayMs?: number;
}

/**
 * Releases a lookup for now. When no request waits for it before a deadline it moves to the rescreen lane, which may use a tenth of the
 * day: lookups that never succeed must not use the others' share.
 */
export async function release(pool: Pool, lookup: Lookup, options: Release): Promise<void> {
  const tries = lookup.tries + Number(options.delayMs === undefined);
  await pool.query(
    prepared(`UPDATE scoring.lookups l SET owner = NULL, task_id = CASE WHEN $7 THEN task_id END, tries = $3, last_error = coalesce($4, last_error),
       lane = CASE WHEN w.hoped_for THEN lane ELSE $8 END,
       next_at = now() + interval '1 millisecond' * CASE WHEN w.hoped_for THEN $5::float8 ELSE $6::float8 END
     FROM (SELECT EXISTS (SELECT FROM scoring.screenings WHERE lookup_id = $1 AND state = 'waiting') AS hoped_for) AS w
     WHERE l.lookup_id = $1 AND l.owner = $2 AND l.round = $9`),
    [
      lookup.id,
      lookup.owner,
      tries,
      options.lastError,
      options.delayMs ?? lookupDelayMs(tries, false),
      options.delayMs ?? lookupDelayMs(tries, true),
      options.keepTask,
      laneNumber.rescreen,
      lookup.round,
    ],
  );
}

export interface Teller {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly lists: LocalLists;
  readonly provider: string;
  readonly prices: Pick<Prices, 'provide'>;
}

/** Limits of one transaction: screenings, and bytes of evidence, of which each screening gets a copy. */
const tellAtOnce = 200;
const tellBytes = 4_000_000;

/**
 * Publishes the results to the waiting screenings, keeps them, and closes the lookups; all or nothing. A lookup with very many waiting
 * takes several calls: it is returned in `unfinished` until none is left.
 */
export async function complete(
  { pool, outbox, lists, provider, prices }: Teller,
  finished: readonly Finished[],
  now: number,
): Promise<{ events: StoredEvent[]; told: Told[]; unfinished: Finished[] }> {
  const evidence = Math.max(1, ...finished.map(({ result }) => result.evidence?.length ?? 1));
  const most = Math.max(1, Math.min(tellAtOnce, Math.floor(tellBytes / evidence)));
  return prices.provide((findPrices) =>
    transaction(pool, async (tx) => {
      const own = await lockOwn(tx, finished);
      const mine = finished.filter(({ lookup }) => own.has(lookup.id));
      const [, waiting, open] = await Promise.all([keepResults(tx, mine, now), answerWaiting(tx, mine, most), closeAnswered(tx, mine)]);
      const told = await matched(tx, { lists, provider }, waiting);
      const events = await outbox.store(tx, scoredEvents(told, now, findPrices));
      return { events, told, unfinished: mine.filter(({ lookup }) => open.has(lookup.id)) };
    }),
  );
}

function isUnknownTransaction({ lookup, result }: Finished): boolean {
  return lookup.subjectType === 'txid' && result.outcome === 'NO_DATA';
}

/**
 * Screenings of an unknown transaction wait for its counterparty from now on, or get their result if that is known. At most `tellAtOnce`;
 * `complete` leaves the others open. A separate transaction: opening lookups under the locks of `complete` could deadlock.
 */
export async function askCounterparties(
  { pool, outbox, lists, provider, prices }: Teller,
  reuse: ReuseSettings,
  finished: readonly Finished[],
  now: number,
): Promise<{ events: StoredEvent[]; told: Told[] }> {
  const unknown = finished.filter(isUnknownTransaction);
  if (unknown.length === 0) return { events: [], told: [] };
  return prices.provide((findPrices) =>
    transaction(pool, async (tx) => {
      // As in admission: no result is used while it is deleted, and no round begins meanwhile.
      await tx.query(prepared(`SELECT ${advisoryLock('scoring-results', 'shared')}`));
      const { rows } = await tx.query<{ request: ScreeningRequested; sequence: number; lookup_id: bigint }>(
        prepared(`SELECT s.request, s.sequence, s.lookup_id FROM unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       JOIN scoring.lookups l ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round
       JOIN scoring.screenings s ON s.lookup_id = l.lookup_id
       WHERE s.state <> 'answered' AND ${hasCounterparty} LIMIT ${tellAtOnce} FOR UPDATE OF s`),
        [
          unknown.map(({ lookup }) => String(lookup.id)),
          unknown.map(({ lookup }) => lookup.owner),
          unknown.map(({ lookup }) => lookup.round),
        ],
      );
      const resultOf = new Map(unknown.map(({ lookup, result }) => [lookup.id, result]));
      const asked = rows.flatMap(({ request, sequence, lookup_id }) => {
        const question = counterpartyQuestion(request);
        return question === undefined ? [] : [{ request, sequence, question, first: resultOf.get(lookup_id) as Result }];
      });
      await noteUnknown(tx, new Map(asked.map(({ request, first }) => [request, first])));
      const { answers } = await answersOf(
        tx,
        asked.map(({ question }) => question),
        reuse,
        findPrices,
      );
      const known = asked.flatMap(({ request, sequence, question, first }) => {
        const answer = answers.get(question);
        if (answer === undefined) return [];
        const { result, answeredAt } = answer;
        const questions = bothQuestions(request, first, result);
        return [{ request, sequence: sequence + 1, result: stricterOf(first, result), reusedFrom: answeredAt, questions }];
      });
      await tx.query(
        prepared(`UPDATE scoring.screenings s SET state = 'answered', sequence = s.sequence + 1
       FROM unnest($1::uuid[], $2::int[]) AS u(id, attempt) WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
        [known.map(({ request }) => request.screening_id), known.map(({ request }) => request.attempt)],
      );
      const told = await matched(tx, { lists, provider }, known);
      const events = await outbox.store(tx, scoredEvents(told, now, findPrices));
      return { events, told };
    }),
  );
}

/** Answers at most `most` waiting screenings. An unsupported coin answers only the requests for that coin. */
async function answerWaiting(tx: Queryable, mine: readonly Finished[], most: number): Promise<(Told & { sequence: number })[]> {
  const resultOf = new Map(mine.map(({ lookup, result }) => [lookup.id, result]));
  const { rows } = await tx.query<{ request: ScreeningRequested; sequence: number; lookup_id: bigint; unknown_transaction: Result | null }>(
    prepared(`UPDATE scoring.screenings SET state = 'answered', sequence = sequence + 1
     WHERE (screening_id, attempt) IN (
       SELECT s.screening_id, s.attempt FROM scoring.screenings s JOIN unnest($1::int8[], $2::text[], $3::bool[]) AS f(lookup_id, only_coin, is_unknown)
         ON s.lookup_id = f.lookup_id AND (f.only_coin IS NULL OR s.request ->> 'coin' = f.only_coin)
       WHERE s.state <> 'answered' AND NOT (f.is_unknown AND ${hasCounterparty}) LIMIT $4)
     RETURNING request, sequence, lookup_id, unknown_transaction`),
    [
      mine.map(({ lookup }) => String(lookup.id)),
      mine.map(({ lookup, result }) => (result.outcome === 'UNSUPPORTED' ? lookup.coin : null)),
      mine.map(isUnknownTransaction),
      most,
    ],
  );
  return rows.map(({ request, sequence, lookup_id, unknown_transaction }) => {
    const answer = resultOf.get(lookup_id) as Result;
    const result = unknown_transaction === null ? answer : stricterOf(unknown_transaction, answer);
    return { request, result, sequence, questions: questionsOf(request, unknown_transaction, answer) };
  });
}

function questionsOf(request: ScreeningRequested, unknownTransaction: Result | null, result: Result): Question[] | undefined {
  return unknownTransaction === null ? undefined : bothQuestions(request, unknownTransaction, result);
}

/** Adds a local sanctions match to each result, as long as the counterparty is listed. */
async function matched<T extends Told>(
  tx: Queryable,
  { lists, provider }: { lists: LocalLists; provider: string },
  told: readonly T[],
): Promise<T[]> {
  const listed = await findListed(
    tx,
    lists,
    told.map(({ request }) => request),
  );
  return told.map((one) => (listed.has(one.request) ? { ...one, result: withMatch(one.result, provider) } : one));
}

/** Closes lookups for which nothing waits, releases those that need another coin, and returns the rest. */
async function closeAnswered(tx: Queryable, mine: readonly Finished[]): Promise<Set<bigint>> {
  const ids = mine.map(({ lookup }) => String(lookup.id));
  const { rows: closed } = await tx.query<{ lookup_id: bigint }>(
    prepared(`DELETE FROM scoring.lookups l WHERE lookup_id = ANY($1::int8[])
       AND NOT EXISTS (SELECT FROM scoring.screenings s WHERE s.lookup_id = l.lookup_id AND s.state <> 'answered') RETURNING lookup_id`),
    [ids],
  );
  if (closed.length === mine.length) return new Set();
  const { rows } = await tx.query<{ lookup_id: bigint; coins: string[] }>(
    prepared(`SELECT lookup_id, array_agg(DISTINCT request ->> 'coin') AS coins FROM scoring.screenings
     WHERE lookup_id = ANY($1::int8[]) AND state <> 'answered' GROUP BY lookup_id`),
    [ids],
  );
  const waiting = new Map(rows.map((row) => [row.lookup_id, row.coins]));
  const open = new Set(waiting.keys());
  for (const { lookup, result } of mine) {
    const coins = waiting.get(lookup.id) ?? [];
    if (result.outcome !== 'UNSUPPORTED' || coins.length === 0 || coins.includes(lookup.coin)) continue;
    await tx.query(
      prepared('UPDATE scoring.lookups SET owner = NULL, task_id = NULL, tries = 0, coin = $2, next_at = now() WHERE lookup_id = $1'),
      [lookup.id, coins[0]],
    );
    open.delete(lookup.id);
  }
  return open;
}

/** Holds up to `limit` screenings whose deadline has passed. `lastError`: the present error per lane. */
export async function expire(
  { pool, outbox, lists, provider, prices }: Teller,
  options: { now: number; limit: number; lastError(lane: Lane): ReasonCode | undefined },
): Promise<{ events: StoredEvent[]; told: Told[] }> {
  return prices.provide((findPrices) =>
    transaction(pool, async (tx) => {
      const { rows } = await tx.query<{
        request: ScreeningRequested;
        sequence: number;
        unknown_transaction: Result | null;
        lastError: ReasonCode | null;
      }>(
        prepared(`UPDATE scoring.screenings s SET state = 'held', sequence = sequence + 1
       WHERE (screening_id, attempt) IN (
         SELECT screening_id, attempt FROM scoring.screenings WHERE state = 'waiting' AND deadline_at <= now()
         ORDER BY deadline_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING request, sequence, unknown_transaction, (SELECT last_error FROM scoring.lookups l WHERE l.lookup_id = s.lookup_id) AS "lastError"`),
        [options.limit],
      );
      const late = rows.map(({ request, sequence, unknown_transaction, lastError }) => {
        const why = lastError ?? options.lastError(request.lane);
        const reasons: ReasonCode[] = why === undefined ? ['DEADLINE_PASSED'] : [why, 'DEADLINE_PASSED'];
        const result = withoutLevel('UNAVAILABLE', reasons, provider);
        return { request, sequence, result, questions: questionsOf(request, unknown_transaction, result) };
      });
      const told = await matched(tx, { lists, provider }, late);
      const events = await outbox.store(tx, scoredEvents(told, options.now, findPrices));
      return { events, told };
    }),
  );
}

/** Locks the lookups that this process still owns, in the order that every transaction uses. */
async function lockOwn(tx: Queryable, finished: readonly Finished[]): Promise<Set<bigint>> {
  const { rows } = await tx.query<{ lookup_id: bigint }>(
    prepared(`SELECT l.lookup_id FROM scoring.lookups l JOIN unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round
     ORDER BY l.chain, l.subject, l.direction FOR UPDATE OF l`),
    [
      finished.map(({ lookup }) => String(lookup.id)),
      finished.map(({ lookup }) => lookup.owner),
      finished.map(({ lookup }) => lookup.round),
    ],
  );
  return new Set(rows.map((row) => row.lookup_id));
}

async function keepResults(tx: Queryable, finished: readonly Finished[], now: number): Promise<void> {
  const kept = finished.filter(({ expiresAt }) => expiresAt !== null);
  if (kept.length === 0) return;
  await tx.query(
    prepared(`INSERT INTO scoring.results (chain, subject, direction, result, expires_at, answered_at)
     SELECT u.chain, u.subject, u.direction, u.result, to_timestamp(u.expires_at / 1000.0), to_timestamp($6 / 1000.0)
     FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::float8[]) AS u(chain, subject, direction, result, expires_at)
     ORDER BY 1, 2, 3
     ON CONFLICT (chain, subject, direction) DO UPDATE
     SET result = excluded.result, expires_at = excluded.expires_at, answered_at = excluded.answered_at`),
    [
      kept.map(({ lookup }) => lookup.chain),
      kept.map(({ lookup }) => lookup.subject),
      kept.map(({ lookup }) => lookup.direction),
      kept.map(({ result }) => JSON.stringify(result)),
      kept.map(({ expiresAt }) => expiresAt),
      now,
    ],
  );
}

export async function trimResults(pool: Pool): Promise<void> {
  await deleteInSteps(
    pool,
    prepared(`DELETE FROM scoring.results WHERE (chain, subject, direction) IN (
       SELECT chain, subject, direction FROM scoring.results WHERE expires_at < now() LIMIT ${rowsAStep})`),
  );
}
