import { readFollowedChains } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Metrics } from '@weir/service-kit';

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
  return {
    blocks: counter('weir_chain_blocks_total', 'Blocks stored, by followed chain', ['chain']),
    reorganisations: counter('weir_chain_reorganisations_total', 'Reorganisations that took stored blocks back, by followed chain', [
      'chain',
    ]),
    removedBlocks: counter('weir_chain_removed_blocks_total', 'Stored blocks that reorganisations took back, by followed chain', ['chain']),
    nodesLeft: counter('weir_chain_nodes_left_total', 'Times that a node failed or contradicted the others, by followed chain', ['chain']),
  };
}
