import type { ScreeningRequested } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { type FactsOf, lookupDirection } from './facts.ts';
import type { Owning } from './lookup-runner.ts';
import { laneNumber, type Lookup } from './lookups.ts';
import type { FindPrices, PriceFound } from './prices.ts';
import { mayReuse, type ReuseSettings } from './reuse.ts';
import { type Cached, findCached, lookupKey } from './stored-results.ts';

export interface Answers {
  readonly answers: ReadonlyMap<ScreeningRequested, Cached>;
  /** The lookup of each other question. */
  readonly lookupIds: ReadonlyMap<ScreeningRequested, bigint>;
  /** Number of new lookups. */
  readonly misses: number;
  /** The new ones that this process owns. They begin after the commit. */
  readonly opened: readonly Lookup[];
}

/**
 * Known answers to these questions, and a lookup for each other one. `read`: the cache entries, by `lookupKey`, that this transaction has
 * read; undefined where there is none. `own`: who owns new lookups; left out: nobody, until they are claimed.
 */
export async function answersOf(
  tx: Queryable,
  questions: readonly ScreeningRequested[],
  reuse: ReuseSettings,
  findPrices: FindPrices,
  {
    factsOf,
    read = new Map(),
    own,
  }: { readonly factsOf: FactsOf; readonly read?: ReadonlyMap<string, Cached | undefined>; readonly own?: Owning | undefined },
): Promise<Answers> {
  const reusing = reusable(questions, reuse, findPrices);
  const unread = [...reusing].filter((question) => !read.has(lookupKey(question)));
  const cached = new Map([...read, ...(await findCached(tx, unread))]);
  const isCached = (question: ScreeningRequested): boolean => reusing.has(question) && cached.get(lookupKey(question)) !== undefined;
  const {
    results: late,
    lookupIds,
    misses,
    opened,
  } = await joinLookups(
    tx,
    questions.filter((question) => !isCached(question)),
    reusing,
    { factsOf, own },
  );
  const answers = new Map<ScreeningRequested, Cached>();
  for (const question of reusing) {
    const answer = cached.get(lookupKey(question)) ?? late.get(question);
    if (answer !== undefined) answers.set(question, answer);
  }
  return { answers, lookupIds, misses, opened };
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
  owner: string | null;
  round: number;
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
  { factsOf, own }: { readonly factsOf: FactsOf; readonly own: Owning | undefined },
): Promise<{ results: Map<ScreeningRequested, Cached>; lookupIds: Map<ScreeningRequested, bigint> } & Pick<Answers, 'misses' | 'opened'>> {
  if (requests.length === 0) return { results: new Map(), lookupIds: new Map(), misses: 0, opened: [] };
  const [{ rows: opened, begun }, cached] = await Promise.all([
    openLookups(tx, requests, { factsOf, own }),
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
  const ids = new Map(opened.map((row) => [lookupKey(row), row.lookup_id]));
  const lookupIds = new Map(waiting.map((request) => [request, ids.get(keyOf(request)) as bigint]));
  const left = begun.filter(({ key }) => needed.has(key)).map(({ lookup }) => lookup);
  return { results, lookupIds, misses: isNew.size - needless.length, opened: left };
}

/** The key of the lookup that answers a request. */
function keyWith(factsOf: FactsOf): (request: ScreeningRequested) => string {
  return (request) => lookupKey({ ...request, direction: lookupDirection(request.direction, factsOf(request)) });
}

/** Rows are locked in key order. `begun`: the new ones with an owner, by key. */
async function openLookups(
  tx: Queryable,
  requests: readonly ScreeningRequested[],
  { factsOf, own }: { readonly factsOf: FactsOf; readonly own: Owning | undefined },
): Promise<{ rows: OpenLookup[]; begun: { key: string; lookup: Lookup }[] }> {
  const keyOf = keyWith(factsOf);
  const mostUrgent = new Map<string, ScreeningRequested>();
  for (const request of requests) {
    const before = mostUrgent.get(keyOf(request));
    if (before === undefined || laneNumber[request.lane] < laneNumber[before.lane]) mostUrgent.set(keyOf(request), request);
  }
  const asked = [...mostUrgent.values()];
  const { rows } = await tx.query<OpenLookup>(
    prepared(`INSERT INTO scoring.lookups AS l (chain, subject, direction, subject_type, coin, lane, token_id, facts, owner, next_at)
     SELECT u.chain, u.subject, u.direction, u.subject_type, u.coin, u.lane, u.token_id, u.facts, u.owner, now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::jsonb[], $9::text[])
       AS u(chain, subject, direction, subject_type, coin, lane, token_id, facts, owner)
     ORDER BY u.chain, u.subject, u.direction
     ON CONFLICT (chain, subject, direction) DO UPDATE SET lane = least(l.lane, excluded.lane),
       token_id = CASE WHEN excluded.lane < l.lane THEN excluded.token_id ELSE l.token_id END, next_at = least(l.next_at, now() + interval '1 second')
     RETURNING lookup_id, chain, subject, direction, xmax = 0 AS is_new, owner, round`),
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
      asked.map((r) => own?.ownerOf(r.lane, r.token_id ?? null) ?? null),
    ],
  );
  const byKey = new Map(rows.map((row) => [lookupKey(row), row]));
  const begun = [...mostUrgent].flatMap(([key, request]) => {
    const { lookup_id: id, owner = null, round = 0, is_new } = byKey.get(key) ?? {};
    if (id === undefined || owner === null || is_new !== true) return [];
    return [{ key, lookup: lookupOf(request, { id, owner, round, facts: factsOf(request) }) }];
  });
  own?.expect(begun.map(({ lookup }) => lookup.id));
  return { rows, begun };
}

/** As a claim would give it. */
function lookupOf(request: ScreeningRequested, row: Pick<Lookup, 'id' | 'owner' | 'facts'> & { readonly round: number }): Lookup {
  const { chain, subject, subject_type, direction, coin, lane, token_id } = request;
  const asked = { chain, subject, subject_type, direction, coin, lane, token_id: token_id ?? null };
  return { ...row, ...asked, tries: 0, task_id: null, is_fallback_task: false };
}
