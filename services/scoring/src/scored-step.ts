import type { LocalLists } from '@weir/chain-store/sanctions';
import type { Queryable } from '@weir/postgres';
import type { NewEvent, Outbox, Step } from '@weir/service-kit';
import type { FactsOf } from './facts.ts';
import { findListed, withMatch } from './listed.ts';
import type { FindPrices, Prices } from './prices.ts';
import { type Scoring, scoredEvents } from './scored-event.ts';

export interface ScoredDeps {
  readonly outbox: Outbox;
  readonly lists: LocalLists;
  readonly provider: string;
  readonly prices: Pick<Prices, 'finderFor'>;
  readonly factsOf: FactsOf;
  /** The facts that the provider in shadow needs; undefined: there is none. */
  readonly shadowFactsOf?: FactsOf | undefined;
}

export interface ScoredStep extends Step {
  readonly events: readonly NewEvent<'screenings.scored'>[];
  readonly scorings: readonly Scoring[];
}

/** The events of these results. Adds a local sanctions match to each whose counterparty is listed now. */
export async function scoredStep(
  tx: Queryable,
  { lists, provider }: ScoredDeps,
  scorings: readonly Scoring[],
  now: number,
  findPrices: FindPrices,
): Promise<ScoredStep> {
  const listed = await findListed(
    tx,
    lists,
    scorings.map(({ request }) => request),
  );
  const matched = scorings.map((one) => (listed.has(one.request) ? { ...one, result: withMatch(one.result, provider) } : one));
  return { events: scoredEvents(matched, now, findPrices), scorings: matched };
}
