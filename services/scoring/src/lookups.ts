import type { Direction, Lane, Question, ReasonCode, ScreeningRequested, SubjectType } from '@weir/contracts';
import { advisoryLock, deleteInSteps, type Pool, prepared, type Queryable, rowsAStep, transaction } from '@weir/postgres';
import type { LocalLists } from '@weir/sanctions';
import type { Outbox, StoredEvent } from '@weir/service-kit';
import { answersOf, laneNumber, type Told } from './admit.ts';
import { findListed, withMatch } from './listed.ts';
import { lookupDelayMs, type Result, withoutLevel } from './result.ts';
import type { ReuseSettings } from './reuse.ts';
import type { Prices } from './prices.ts';
import { scoredEvents } from './scored-event.ts';
import { bothQuestions, counterpartyQuestion, hasCounterparty, noteUnknown, stricterOf } from './unknown-transaction.ts';

/** One question, claimed by this process. */
export interface Lookup {
  readonly id: bigint;
  readonly chain: string;
  readonly subject: string;
  readonly subjectType: SubjectType;
  readonly direction: Direction;
  readonly coin: string;
  /** In which it is sent; a more urgent one once somebody more urgent waits for it. */
  lane: Lane;
  /** Which pays for it. */
  tokenId: string | null;
  readonly tries: number;
  /** A task that a process before us created and did not see the end of. */
  readonly taskId: string | null;
  /** Counts how often it was begun anew because its answer has changed: what was asked in an earlier round is no answer. */
  readonly round: number;
  /** Our session as it is called in the row; another after a reconnect. */
  owner: string;
}

export interface Finished {
  readonly lookup: Lookup;
  readonly result: Result;
  /** Unix milliseconds; null when the result is not kept. */
  readonly expiresAt: number | null;
}

const laneOf: readonly Lane[] = ['withdrawal', 'deposit', 'rescreen'];

/**
 * Claims lookups that are due and nobody's, in each lane as many as there is room for. Replicas skip what another is claiming.
 * `spent`: tokens that have spent their share.
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
    [owner, laneOf.map((lane) => laneNumber[lane]), laneOf.map((lane) => Math.max(room[lane], 0)), laneNumber.rescreen, spent],
  );
  const claimed = rows.map((row) => ({
    id: row.lookup_id,
    chain: row.chain,
    subject: row.subject,
    subjectType: row.subject_type,
    direction: row.direction,
    coin: row.coin,
    lane: laneOf[row.lane] ?? 'rescreen',
    tokenId: row.token_id,
    tries: row.tries,
    taskId: row.task_id,
    round: row.round,
    owner,
  }));
  return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Frees lookups whose process is gone, and those of `owner` (us) that are none of `held`: giving them back failed once. */
export async function freeAbandoned(pool: Pool, owner: string, held: readonly bigint[]): Promise<void> {
  await pool.query(
    prepared(`UPDATE scoring.lookups SET owner = NULL WHERE lookup_id IN (
       SELECT lookup_id FROM scoring.lookups
       WHERE owner IN (SELECT owner FROM (SELECT DISTINCT owner FROM scoring.lookups WHERE owner IS NOT NULL) AS owners WHERE NOT weir.session_alive(owner))
          OR (owner = $1 AND lookup_id <> ALL($2::int8[]))
       ORDER BY chain, subject, direction FOR UPDATE SKIP LOCKED)`),
    [owner, held.map(String)],
  );
}

/** The lanes that these lookups belong in by now, and who pays for them; without those that are somebody else's, or were begun anew. */
export async function lanesOf(pool: Pool, lookups: readonly Lookup[]): Promise<Map<bigint, Pick<Lookup, 'lane' | 'tokenId'>>> {
  const { rows } = await pool.query<{ lookup_id: bigint; lane: number; token_id: string | null }>(
    prepared(`SELECT l.lookup_id, l.lane, l.token_id FROM scoring.lookups l JOIN unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round`),
    [lookups.map(({ id }) => String(id)), lookups.map(({ owner }) => owner), lookups.map(({ round }) => round)],
  );
  return new Map(rows.map((row) => [row.lookup_id, { lane: laneOf[row.lane] ?? 'rescreen', tokenId: row.token_id }]));
}

/** Lookups that are moved in one statement. */
const moveAtOnce = 1_000;

/**
 * Moves lookups of tokens that have spent their share into the lane of re-screenings. One for which somebody else waits stays in that one's lane, whose
 * token pays from now on. Returns from which lanes how many were moved.
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
      const lane = laneOf[before] ?? 'rescreen';
      if (is_moved) moved.set(lane, (moved.get(lane) ?? 0) + 1);
    }
  }
  return moved;
}

/** Remembers the task, so that a restart asks for it instead of creating another. */
export async function saveTask(pool: Pool, lookup: Lookup, taskId: string): Promise<void> {
  await pool.query(prepared('UPDATE scoring.lookups SET task_id = $4 WHERE lookup_id = $1 AND owner = $2 AND round = $3'), [
    lookup.id,
    lookup.owner,
    lookup.round,
    taskId,
  ]);
}

/** Notes what keeps a lookup from its answer; a hold at the deadline will say it. */
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
  /** The task is still good: whoever claims the lookup next follows it. */
  readonly keepTask: boolean;
  /** When it is due again; left out after a failure, which is waited for longer each time. */
  readonly delayMs?: number;
}

/**
 * Gives a lookup up for now. When nobody waits for it any more before a deadline it goes on in the lane of re-screenings, which may spend a tenth
 * of the day: questions that never get an answer must not take the others' share.
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

/** What telling of results needs. */
export interface Teller {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly lists: LocalLists;
  readonly provider: string;
  readonly prices: Pick<Prices, 'provide'>;
}

/** What one transaction tells at most: so many screenings, and so many bytes of evidence, of which each gets a copy. */
const tellAtOnce = 200;
const tellBytes = 4_000_000;

/**
 * Tells those who wait for these lookups, keeps the results, and closes the lookups; all or nothing. A lookup for which very many wait is told in several
 * steps: it comes back in `unfinished` until nobody is left.
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
      const told = await matched(tx, { lists, provider, now }, waiting);
      const events = await outbox.store(tx, scoredEvents(told, now, findPrices));
      return { events, told, unfinished: mine.filter(({ lookup }) => open.has(lookup.id)) };
    }),
  );
}

/** Whether those who wait ask about the counterparty next. */
function isUnknownTransaction({ lookup, result }: Finished): boolean {
  return lookup.subjectType === 'txid' && result.outcome === 'NO_DATA';
}

/**
 * Those who wait for a transaction that the risk API does not know wait for its counterparty from now on, and are told if that is answered already.
 * At most `tellAtOnce` of them; `complete` leaves the others open. A transaction of its own: `complete` holds locks of lookups, and to
 * open others under them could deadlock.
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
      // As those who take requests in: nobody is answered by what is being deleted, and no round begins meanwhile.
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
      const told = await matched(tx, { lists, provider, now }, known);
      const events = await outbox.store(tx, scoredEvents(told, now, findPrices));
      return { events, told };
    }),
  );
}

/** Answers up to `most` who wait. That a coin is not supported is an answer only for those who asked about that coin. */
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

/** The match with a local list stands among the reasons of whatever is told, for as long as it is one. */
async function matched<T extends Told>(
  tx: Queryable,
  { lists, provider, now }: { lists: LocalLists; provider: string; now: number },
  told: readonly T[],
): Promise<T[]> {
  const listed = await findListed(
    tx,
    lists,
    told.map(({ request }) => request),
    now,
  );
  return told.map((one) => (listed.has(one.request) ? { ...one, result: withMatch(one.result, provider) } : one));
}

/** Closes lookups for which nobody waits any more, gives back those that must be asked with another coin, and returns the rest. */
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

/** Holds up to `limit` screenings whose deadline has passed. `trouble` names what is known to be wrong now, per lane. */
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
      const told = await matched(tx, { lists, provider, now: options.now }, late);
      const events = await outbox.store(tx, scoredEvents(told, options.now, findPrices));
      return { events, told };
    }),
  );
}

/** Locks those that are still ours, in the order that everybody locks them in. */
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

/** Deletes results that are no longer good, in bounded steps. */
export async function trimResults(pool: Pool): Promise<void> {
  await deleteInSteps(
    pool,
    prepared(`DELETE FROM scoring.results WHERE (chain, subject, direction) IN (
       SELECT chain, subject, direction FROM scoring.results WHERE expires_at < now() LIMIT ${rowsAStep})`),
  );
}
