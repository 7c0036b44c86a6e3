import { countWatched, readFollowedChains } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Metrics } from '@weir/service-kit';
import { priceProblems, type PriceSource } from './price-source.ts';

export type FollowerMetrics = ReturnType<typeof createFollowerMetrics>;

export function createFollowerMetrics({ counter, gauge, onScrape }: Metrics, db: Queryable, clock: Clock) {
  const lagBlocks = gauge(
    'weir_chain_lag_blocks',
    'Blocks between the newest block of the nodes and the last stored one, by followed chain',
    ['chain'],
  );
  const lagSeconds = gauge('weir_chain_lag_seconds', 'Age of the last stored block, by followed chain', ['chain']);
  const behindSeconds = gauge(
    'weir_chain_behind_seconds',
    'Time since the nodes last had no confirmed block that is not stored, by followed chain',
    ['chain'],
  );
  onScrape(async () => {
    for (const { chain, head, height, blockAt, caughtUpAt } of await readFollowedChains(db)) {
      if (head !== null && height !== null) lagBlocks.set({ chain }, Math.max(0, head - height));
      if (caughtUpAt !== null) behindSeconds.set({ chain }, Math.max(0, clock.now() - caughtUpAt.getTime()) / 1_000);
      if (blockAt !== null) lagSeconds.set({ chain }, Math.max(0, clock.now() - blockAt.getTime()) / 1_000);
    }
  });
  const withoutPermit = gauge(
    'weir_watched_payments_without_permit',
    'Payments of the last day from watched addresses that no redeemed permit allows, by chain',
    ['chain'],
  );
  const takenBack = gauge(
    'weir_watched_deposits_taken_back',
    'Announced deposits that a reorganisation took back in the last day, by chain',
    ['chain'],
  );
  const watched = gauge('weir_watched_addresses', 'Watched addresses, by chain', ['chain']);
  onScrape(async () => {
    for (const each of [withoutPermit, takenBack, watched]) each.reset();
    for (const { chain, addresses } of await countWatched(db)) {
      watched.set({ chain }, addresses);
      withoutPermit.set({ chain }, 0);
      takenBack.set({ chain }, 0);
    }
    const { rows } = await db.query<{ chain: string; payments: number; deposits: number }>(
      `SELECT chain, sum(payments)::float8 AS payments, sum(deposits)::float8 AS deposits FROM (
         SELECT chain, 1 AS payments, 0 AS deposits FROM chain.watched_payments WHERE withdrawal_id IS NULL AND at > now() - interval '1 day'
         UNION ALL SELECT chain, 0, 1 FROM chain.watched_deposits WHERE taken_back_at > now() - interval '1 day') w GROUP BY chain`,
    );
    for (const { chain, payments, deposits } of rows) {
      withoutPermit.set({ chain }, payments);
      takenBack.set({ chain }, deposits);
    }
  });
  const priceAge = gauge('weir_prices_age_seconds', 'Age of the newest price of the table for followed transfers', []);
  const priceProblem = gauge(
    'weir_price_problems',
    'Whether the price table for followed transfers is missing (no price is known), stale or unreadable, by problem',
    ['problem'],
  );
  return {
    observePrices: (prices: PriceSource, maxAgeMs: number): void =>
      onScrape(async () => {
        const age = prices.ageMs();
        if (age !== undefined) priceAge.set({}, age / 1_000);
        const present = new Set(prices.problems(maxAgeMs).map(({ problem }) => problem));
        for (const problem of priceProblems) priceProblem.set({ problem }, present.has(problem) ? 1 : 0);
      }),
    deposits: counter('weir_watched_deposits_total', 'Announced deposits to watched addresses, by chain', ['chain']),
    unnamedTransfers: counter(
      'weir_watched_unnamed_transfers_total',
      'Transfers from or to watched addresses of coins that nobody has named, by chain. "weir coins add" names a coin',
      ['chain'],
    ),
    blocks: counter('weir_chain_blocks_total', 'Blocks stored, by followed chain', ['chain']),
    reorganisations: counter('weir_chain_reorganisations_total', 'Reorganisations that took stored blocks back, by followed chain', [
      'chain',
    ]),
    removedBlocks: counter('weir_chain_removed_blocks_total', 'Stored blocks that reorganisations took back, by followed chain', ['chain']),
    nodesLeft: counter('weir_chain_nodes_left_total', 'Times that a node failed or contradicted the others, by followed chain', ['chain']),
  };
}
