import type { ScreeningRequested } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { type FactsOf, lookupDirection } from './facts.ts';
import { laneNumber } from './lookups.ts';
import type { FindPrices, PriceFound } from './prices.ts';
import { mayReuse, type ReuseSettings } from './reuse.ts';
import { type Cached, findCached, lookupKey } from './stored-results.ts';

export interface Answers {
  readonly answers: ReadonlyMap<ScreeningRequested, Cached>;
  /** The lookup of each other question. */
  readonly lookupIds: ReadonlyMap<ScreeningRequested, bigint>;
  /** Number of new lookups. */
  readonly misses: number;
}

/**
 * Known answers to these questions, and a lookup for each other one. `read`: the cache entries, by `lookupKey`, that this transaction has
 * read; undefined where there is none.
 */
export async function answersOf(
  tx: Queryable,
  questions: readonly ScreeningRequested[],
  reuse: ReuseSettings,
  findPrices: FindPrices,
  { factsOf, read = new Map() }: { readonly factsOf: FactsOf; readonly read?: ReadonlyMap<string, Cached | undefined> },
): Promise<Answers> {
  const reusing = reusable(questions, reuse, findPrices);
  const unread = [...reusing].filter((question) => !read.has(lookupKey(question)));
  const cached = new Map([...read, ...(await findCached(tx, unread))]);
  const isCached = (question: ScreeningRequested): boolean => reusing.has(question) && cached.get(lookupKey(question)) !== undefined;
  const {
    results: late,
    lookupIds,
    misses,
  } = await joinLookups(
    tx,
    questions.filter((question) => !isCached(question)),
    reusing,
    factsOf,
  );
  const answers = new Map<ScreeningRequested, Cached>();
  for (const question of reusing) {
    const answer = cached.get(lookupKey(question)) ?? late.get(question);
    if (answer !== undefined) answers.set(question, answer);
  }
  return { answers, lookupIds, misses };
}

export function reusable(requests: readonly ScreeningRequested[], reuse: ReuseSettings, findPrices: FindPrices): Set<ScreeningRequested> {
  const prices = findPrices(requests);
  return new Set(requests.filter((request, n) => mayReuse(request, prices[n] as PriceFound, reuse)));
}

interface OpenLookup extends Record<string, unknown> {
  lookup_id: bigint;
  chain: string;
  subject: string;
  direction: string;
  is_new: boolean;
}

/**
 * Finds or opens the lookup of each subject. Returns the number of new lookups, and the results stored since the cache was read.
 *
 * A lookup may be completed and deleted between that read and the insert. The insert waits for that transaction, and nobody can complete
 * the new row before commit. So a second statement sees every such result.
 */
async function joinLookups(
  tx: Queryable,
  requests: readonly ScreeningRequested[],
  reusing: ReadonlySet<ScreeningRequested>,
  factsOf: FactsOf,
): Promise<{ results: Map<ScreeningRequested, Cached>; lookupIds: Map<ScreeningRequested, bigint>; misses: number }> {
  if (requests.length === 0) return { results: new Map(), lookupIds: new Map(), misses: 0 };
  const [opened, cached] = await Promise.all([
    openLookups(tx, requests, factsOf),
    findCached(
      tx,
      requests.filter((request) => reusing.has(request)),
    ),
  ]);
  const keyOf = keyWith(factsOf);
  const isNew = new Set(opened.filter((row) => row.is_new).map(lookupKey));
  const results = new Map<ScreeningRequested, Cached>();
  for (const request of requests) {
    const late = reusing.has(request) && isNew.has(keyOf(request)) ? cached.get(lookupKey(request)) : undefined;
    if (late !== undefined) results.set(request, late);
  }
  const waiting = requests.filter((request) => !results.has(request));
  const needed = new Set(waiting.map(keyOf));
  const needless = opened.filter((row) => !needed.has(lookupKey(row)));
  if (needless.length > 0)
    await tx.query(prepared('DELETE FROM scoring.lookups WHERE lookup_id = ANY($1::int8[])'), [
      needless.map(({ lookup_id }) => String(lookup_id)),
    ]);
  const lookupOf = new Map(opened.map((row) => [lookupKey(row), row.lookup_id]));
  const lookupIds = new Map(waiting.map((request) => [request, lookupOf.get(keyOf(request)) as bigint]));
  return { results, lookupIds, misses: isNew.size - needless.length };
}

/** The key of the lookup that answers a request. */
function keyWith(factsOf: FactsOf): (request: ScreeningRequested) => string {
  return (request) => lookupKey({ ...request, direction: lookupDirection(request.direction, factsOf(request)) });
}

/** Rows are locked in key order. */
async function openLookups(tx: Queryable, requests: readonly ScreeningRequested[], factsOf: FactsOf): Promise<OpenLookup[]> {
  const keyOf = keyWith(factsOf);
  const mostUrgent = new Map<string, ScreeningRequested>();
  for (const request of requests) {
    const before = mostUrgent.get(keyOf(request));
    if (before === undefined || laneNumber[request.lane] < laneNumber[before.lane]) mostUrgent.set(keyOf(request), request);
  }
  const asked = [...mostUrgent.values()];
  const { rows } = await tx.query<OpenLookup>(
    prepared(`INSERT INTO scoring.lookups AS l (chain, subject, direction, subject_type, coin, lane, token_id, facts, next_at)
     SELECT u.chain, u.subject, u.direction, u.subject_type, u.coin, u.lane, u.token_id, u.facts, now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::jsonb[])
       AS u(chain, subject, direction, subject_type, coin, lane, token_id, facts)
     ORDER BY u.chain, u.subject, u.direction
     ON CONFLICT (chain, subject, direction) DO UPDATE SET lane = least(l.lane, excluded.lane),
       token_id = CASE WHEN excluded.lane < l.lane THEN excluded.token_id ELSE l.token_id END, next_at = least(l.next_at, now() + interval '1 second')
     RETURNING lookup_id, chain, subject, direction, xmax = 0 AS is_new`),
    [
      asked.map((r) => r.chain),
      asked.map((r) => r.subject),
      asked.map((r) => lookupDirection(r.direction, factsOf(r))),
      asked.map((r) => r.subject_type),
      asked.map((r) => r.coin),
      asked.map((r) => laneNumber[r.lane]),
      // Requests stored by earlier versions lack it.
      asked.map((r) => r.token_id ?? null),
      asked.map((r) => JSON.stringify(factsOf(r))),
    ],
  );
  return rows;
}
