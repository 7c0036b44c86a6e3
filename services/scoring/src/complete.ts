import type { ScreeningRequested } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import type { Batch } from '@weir/service-kit';
import type { Finished } from './lookups.ts';
import type { Result } from './result.ts';
import { askShadow } from './shadow.ts';
import type { Scoring } from './scored-event.ts';
import { type ScoredDeps, type ScoredStep, scoredStep } from './scored-step.ts';
import { keepResults } from './stored-results.ts';
import { hasCounterparty, isUnknownTransaction, questionsOf, stricterOf } from './unknown-transaction.ts';

/** Limits of one transaction: screenings, and bytes of evidence, of which each screening gets a copy. */
const publishAtOnce = 200;
const publishBytes = 4_000_000;

/**
 * Publishes the results to the waiting screenings, keeps them, and closes the lookups; all or nothing. A lookup with very many waiting
 * takes several calls: it is returned in `unfinished` until none is left.
 */
export async function complete(
  tx: Queryable,
  deps: ScoredDeps,
  finished: readonly Finished[],
  { now, batch }: { now: number; batch: Batch },
): Promise<ScoredStep & { unfinished: readonly Finished[] }> {
  const evidence = Math.max(1, ...finished.map(({ result }) => result.evidence?.length ?? 1));
  const most = Math.max(1, Math.min(publishAtOnce, Math.floor(publishBytes / evidence)));
  const own = await lockOwn(tx, finished);
  const mine = finished.filter(({ lookup }) => own.has(lookup.id));
  const [, waiting, open] = await Promise.all([keepResults(tx, mine, now), answerWaiting(tx, mine, most), closeAnswered(tx, mine)]);
  if (deps.shadowFactsOf !== undefined) await askShadow(tx, waiting, deps.shadowFactsOf);
  const step = await scoredStep(tx, deps, waiting, now, deps.prices.finderFor(batch));
  return { ...step, unfinished: mine.filter(({ lookup }) => open.has(lookup.id)) };
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

/** Answers at most `most` waiting screenings. An unsupported coin answers only the requests for that coin. */
async function answerWaiting(tx: Queryable, mine: readonly Finished[], most: number): Promise<Scoring[]> {
  const resultOf = new Map(mine.map(({ lookup, result }) => [lookup.id, result]));
  const { rows } = await tx.query<{ request: ScreeningRequested; sequence: number; lookup_id: bigint; unknown_transaction: Result | null }>(
    prepared(`UPDATE scoring.screenings SET state = 'answered', sequence = sequence + 1
     WHERE (screening_id, attempt) IN (
       SELECT due.screening_id, due.attempt FROM unnest($1::int8[], $2::text[], $3::bool[]) AS f(lookup_id, only_coin, is_unknown) CROSS JOIN LATERAL (
         SELECT s.screening_id, s.attempt FROM scoring.screenings s WHERE s.lookup_id = f.lookup_id AND s.state <> 'answered'
           AND (f.only_coin IS NULL OR s.request ->> 'coin' = f.only_coin) AND NOT (f.is_unknown AND ${hasCounterparty}) LIMIT $4) AS due
       LIMIT $4)
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
