import type { LocalLists } from '@weir/chain-store/sanctions';
import type { Pool, Queryable } from '@weir/postgres';
import type { Outbox, StoredEvent } from '@weir/service-kit';
import { findListed, withMatch } from './listed.ts';
import type { FindPrices, Prices } from './prices.ts';
import { type Scoring, scoredEvents } from './scored-event.ts';

export interface ScoredDeps {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly lists: LocalLists;
  readonly provider: string;
  readonly prices: Pick<Prices, 'provide'>;
}

export interface StoredScorings {
  /** To be published. */
  readonly events: readonly StoredEvent[];
  readonly scorings: readonly Scoring[];
}

/** Stores the events of these results in `tx`. Adds a local sanctions match to each whose counterparty is listed now. */
export async function storeScored(
  tx: Queryable,
  { outbox, lists, provider }: ScoredDeps,
  scorings: readonly Scoring[],
  now: number,
  findPrices: FindPrices,
): Promise<StoredScorings> {
  const listed = await findListed(
    tx,
    lists,
    scorings.map(({ request }) => request),
  );
  const matched = scorings.map((one) => (listed.has(one.request) ? { ...one, result: withMatch(one.result, provider) } : one));
  return { events: await outbox.store(tx, scoredEvents(matched, now, findPrices)), scorings: matched };
}
