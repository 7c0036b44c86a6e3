import type { ScreeningRequested } from '@weir/contracts';
import { advisoryLock, prepared, type Queryable } from '@weir/postgres';
import type { Batch } from '@weir/service-kit';
import { type Answers, answersOf } from './answers.ts';
import type { Finished } from './lookups.ts';
import type { Result } from './result.ts';
import type { ReuseSettings } from './reuse.ts';
import { type ScoredDeps, type ScoredStep, scoredStep } from './scored-step.ts';
import { bothQuestions, counterpartyQuestion, hasCounterparty, isUnknownTransaction, stricterOf } from './unknown-transaction.ts';

const askAtOnce = 200;

interface Asked {
  readonly request: ScreeningRequested;
  readonly sequence: number;
  /** About the counterparty. */
  readonly question: ScreeningRequested;
  /** The answer about the transaction. */
  readonly first: Result;
}

/**
 * Screenings of an unknown transaction wait for its counterparty from now on, or get their result if that is known. At most `askAtOnce`;
 * `complete` leaves the others open. A separate transaction: opening lookups under the locks of `complete` could deadlock.
 */
export async function askCounterparties(
  tx: Queryable,
  deps: ScoredDeps & { readonly reuse: ReuseSettings },
  finished: readonly Finished[],
  { now, batch }: { now: number; batch: Batch },
): Promise<ScoredStep> {
  const findPrices = deps.prices.finderFor(batch);
  // As in admission: no result is used while it is deleted, and no round begins meanwhile.
  await tx.query(prepared(`SELECT ${advisoryLock('scoring-results', 'shared')}`));
  const asked = await readWaiting(tx, finished.filter(isUnknownTransaction));
  const { answers, lookupIds } = await answersOf(
    tx,
    asked.map(({ question }) => question),
    deps.reuse,
    findPrices,
    deps,
  );
  const known = asked.flatMap(({ request, sequence, question, first }) => {
    const answer = answers.get(question);
    if (answer === undefined) return [];
    const { result, answeredAt } = answer;
    const questions = bothQuestions(request, first, result);
    return [{ request, sequence: sequence + 1, result: stricterOf(first, result), reusedFrom: answeredAt, questions }];
  });
  await save(tx, asked, { answers, lookupIds });
  return scoredStep(tx, deps, known, now, findPrices);
}

/** Screenings that wait for these lookups and name a counterparty. */
async function readWaiting(tx: Queryable, unknown: readonly Finished[]): Promise<Asked[]> {
  const { rows } = await tx.query<{ request: ScreeningRequested; sequence: number; lookup_id: bigint }>(
    prepared(`SELECT s.request, s.sequence, s.lookup_id FROM unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       JOIN scoring.lookups l ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round
       JOIN scoring.screenings s ON s.lookup_id = l.lookup_id
       WHERE s.state <> 'answered' AND ${hasCounterparty} LIMIT ${askAtOnce} FOR UPDATE OF s`),
    [unknown.map(({ lookup }) => String(lookup.id)), unknown.map(({ lookup }) => lookup.owner), unknown.map(({ lookup }) => lookup.round)],
  );
  const resultOf = new Map(unknown.map(({ lookup, result }) => [lookup.id, result]));
  return rows.flatMap(({ request, sequence, lookup_id }) => {
    const question = counterpartyQuestion(request);
    return question === undefined ? [] : [{ request, sequence, question, first: resultOf.get(lookup_id) as Result }];
  });
}

/** Stores the answer about the transaction, and that of the counterparty or the lookup that will give it. */
async function save(tx: Queryable, asked: readonly Asked[], { answers, lookupIds }: Pick<Answers, 'answers' | 'lookupIds'>): Promise<void> {
  if (asked.length === 0) return;
  await tx.query(
    prepared(`UPDATE scoring.screenings s SET unknown_transaction = u.result, counterparty = u.counterparty, lookup_id = coalesce(u.lookup_id, s.lookup_id),
       state = CASE WHEN u.is_known THEN 'answered' ELSE s.state END, sequence = s.sequence + u.is_known::int
     FROM unnest($1::uuid[], $2::int[], $3::jsonb[], $4::text[], $5::int8[], $6::bool[]) AS u(id, attempt, result, counterparty, lookup_id, is_known)
     WHERE s.screening_id = u.id AND s.attempt = u.attempt`),
    [
      asked.map(({ request }) => request.screening_id),
      asked.map(({ request }) => request.attempt),
      asked.map(({ first }) => JSON.stringify(first)),
      asked.map(({ question }) => question.subject),
      asked.map(({ question }) => lookupIds.get(question)?.toString() ?? null),
      asked.map(({ question }) => answers.has(question)),
    ],
  );
}
