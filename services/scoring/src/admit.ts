import type { Listing } from '@weir/chain-store/sanctions';
import type { ScreeningRequested } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import { type Batch, BatchTooLarge, type Step, TryAgain } from '@weir/service-kit';
import { type Answers, answersOf, reusable } from './answers.ts';
import { findListed, withMatch } from './listed.ts';
import type { Owning } from './lookup-runner.ts';
import type { Lookup } from './lookups.ts';
import { faultResult, type Result } from './result.ts';
import type { ReuseSettings } from './reuse.ts';
import { type Scoring, scoredEvents } from './scored-event.ts';
import { attemptKey, findAttempts, insertAttempts, numberRenewals, resultIds } from './screening-store.ts';
import type { ScoredDeps } from './scored-step.ts';
import { type Cached, findCached, lookupKey } from './stored-results.ts';
import { bothQuestions, counterpartyQuestion, stricterOf } from './unknown-transaction.ts';

/** Of evidence in one transaction. Each request that the cache answers gets a copy. */
const evidenceBytes = 16_000_000;

export interface Admitted extends Step {
  /** New lookups that begin after the commit. */
  readonly opened: readonly Lookup[];
  readonly fresh: readonly Scoring[];
  readonly hits: number;
  readonly joined: number;
  readonly misses: number;
  readonly listed: ReadonlyMap<ScreeningRequested, readonly Listing[]>;
}

/**
 * Admits requests. Rejected requests and cache hits get a result at once; each other one waits for a lookup, new or open. A local sanctions
 * match is told at once and still waits for its lookup. Rejects with `PoisonRecord` when another attempt of a screening was requested for
 * another subject, and with `BatchTooLarge` when several requests have too much evidence together.
 */
export async function admit(
  tx: Queryable,
  { outbox, lists, provider, reuse, prices, factsOf }: ScoredDeps & { readonly reuse: ReuseSettings },
  requests: readonly ScreeningRequested[],
  { now, batch, own }: { now: number; batch: Batch; own?: Owning | undefined },
): Promise<Admitted> {
  const findPrices = prices.finderFor(batch);
  // Before any lock is taken: a missing price rolls the transaction back.
  findPrices(requests);
  const numbered = await numberRenewals(tx, requests);
  const unique = [...new Map(numbered.map((request) => [attemptKey(request), request])).values()];
  const reusing = reusable(unique, reuse, findPrices);
  const [known, cached, found] = await Promise.all([
    findAttempts(tx, numbered),
    findCached(tx, [...reusing]),
    findListed(tx, lists, unique),
  ]);
  const wanted = unique.filter((request) => !known.has(attemptKey(request)));
  const again = unique.flatMap((request) => resultIds(request, known.get(attemptKey(request))?.sequence ?? 0));
  const listed = new Map(wanted.flatMap((request) => (found.has(request) ? [[request, found.get(request) ?? []] as const] : [])));
  const askable = wanted.filter((request) => request.fault === null);
  const { unknown, asked } = knownUnknown(askable, reusing, cached);
  const { answers, lookupIds, misses, opened } = await answersOf(
    tx,
    askable.map((request) => asked.get(request) ?? request),
    reuse,
    findPrices,
    { factsOf, own, read: new Map([...reusing].map((request) => [lookupKey(request), cached.get(lookupKey(request))])) },
  );
  const { fresh, open, hits } = settle(wanted, { asked, answers, unknown, listed, provider });
  const evidence = fresh.reduce((sum, { result }) => sum + (result.evidence?.length ?? 0), 0);
  if (fresh.length > 1 && evidence > evidenceBytes) throw new BatchTooLarge();
  const scored = new Set(fresh.map(({ request }) => request));
  await insertAttempts(
    tx,
    wanted.map((request) => ({
      request,
      hasResult: scored.has(request),
      lookupId: open.has(request) ? lookupIds.get(asked.get(request) ?? request) : undefined,
      unknownTransaction: unknown.get(request),
    })),
  );
  const repeats = await outbox.repeat(tx, again);
  return { events: scoredEvents(fresh, now, findPrices), repeats, fresh, hits, misses, joined: open.size - misses, opened, listed };
}

/** Splits new requests into those with a result (`fresh`) and those that wait for a lookup (`open`). One with a sanctions match may be both. */
function settle(
  wanted: readonly ScreeningRequested[],
  of: {
    asked: ReadonlyMap<ScreeningRequested, ScreeningRequested>;
    answers: Answers['answers'];
    unknown: ReturnType<typeof knownUnknown>['unknown'];
    listed: Admitted['listed'];
    provider: string;
  },
) {
  const { asked, answers, unknown, listed, provider } = of;
  const fresh: Scoring[] = [];
  const open = new Set<ScreeningRequested>();
  let hits = 0;
  for (const request of wanted) {
    const question = asked.get(request) ?? request;
    const hit = answers.get(question);
    const first = unknown.get(request);
    // A lookup ended between the cache read and the insert, so this request needs another one. All lookups are locked at once in key order:
    // a second statement could deadlock.
    if (hit?.result.outcome === 'NO_DATA' && counterpartyQuestion(question) !== undefined) throw new TryAgain(() => Promise.resolve());
    const answer = first === undefined || hit === undefined ? hit?.result : stricterOf(first, hit.result);
    const result = faultResult(request, provider) ?? answer;
    if (result === undefined) open.add(request);
    else if (hit !== undefined) hits += 1;
    if (result === undefined && !listed.has(request)) continue;
    const scored = listed.has(request) ? withMatch(result, provider) : (result as Result);
    const questions = first === undefined ? undefined : bothQuestions(request, first, hit?.result ?? scored);
    fresh.push({ request, sequence: 1, result: scored, reusedFrom: hit?.answeredAt, questions });
  }
  return { fresh, open, hits };
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
    const answer = reusing.has(request) ? cached.get(lookupKey(request)) : undefined;
    const question = answer?.result.outcome === 'NO_DATA' ? counterpartyQuestion(request) : undefined;
    if (answer === undefined || question === undefined) continue;
    unknown.set(request, answer.result);
    asked.set(request, question);
  }
  return { unknown, asked };
}
