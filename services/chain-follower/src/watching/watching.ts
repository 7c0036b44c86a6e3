import type { Block } from '@weir/chain-import';
import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Logger, Outbox, StoredEvent } from '@weir/service-kit';
import type { FollowerMetrics } from '../metrics.ts';
import { takeBackWatched, type Watched, watchBlocks } from './watcher.ts';

/** What the follower of a chain does besides storing its transfers. `committed` comes after each commit. */
export interface Watching {
  stored(tx: Queryable, blocks: readonly Block[]): Promise<void>;
  removed(tx: Queryable, height: number): Promise<void>;
  committed(): Promise<void>;
}

/** Announces deposits to watched addresses in the transaction that stores their blocks. */
export function watching(
  chain: Chain,
  { outbox, logger, metrics }: { outbox: Outbox; logger: Logger; metrics: FollowerMetrics },
): Watching {
  let pending: { events: readonly StoredEvent[]; watched?: Watched; takenBack?: readonly string[] } = { events: [] };
  return {
    stored: async (tx, blocks) => {
      const watched = await watchBlocks(tx, chain, blocks);
      pending = { watched, events: watched.deposits.length > 0 ? await outbox.store(tx, watched.deposits) : [] };
    },
    removed: async (tx, height) => {
      pending = { events: [], takenBack: await takeBackWatched(tx, chain, height) };
    },
    committed: async () => {
      const { events, watched, takenBack = [] } = pending;
      pending = { events: [] };
      if (watched !== undefined) {
        metrics.deposits.inc({ chain }, watched.deposits.length);
        metrics.unnamedTransfers.inc({ chain }, watched.unknown);
        for (const { txid, to, coin, amount } of watched.unmatched)
          logger.error({ chain, txid, to_address: to, coin, amount }, 'money left a watched address without a redeemed permit');
      }
      if (takenBack.length > 0) logger.error({ chain, deposits: takenBack }, 'the chain took announced deposits back');
      if (events.length > 0)
        await outbox.publish(events).catch((err: unknown) => logger.warn({ err }, 'deposits are stored; they will be published later'));
    },
  };
}
