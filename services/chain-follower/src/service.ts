import { changeRecorder, chainStoreMigrations, chainStoreModule, FollowConflict, recordFollowError } from '@weir/chain-store';
import { type ChainNodes, nodesOf } from '@weir/chains';
import { type Clock, repeat, Signal } from '@weir/clock';
import { migrate, type Pool } from '@weir/postgres';
import { Jobs, type Logger, type Metrics, Outbox, type Pipeline, type Service } from '@weir/service-kit';
import { ChainFollower } from './chain-follower.ts';
import { type FollowerSettings, type FollowPlan, followPlans, headsOf } from './config.ts';
import type { ChainNode } from './chain-node.ts';
import { evmNode, type EvmNodeOptions } from './evm-node.ts';
import { createFollowerMetrics } from './metrics.ts';
import { listenForHeads } from './new-heads.ts';
import { NodeGroup } from './node-group.ts';
import { PriceSource } from './price-source.ts';
import { solanaNode } from './solana-node.ts';
import { tronNode } from './tron-node.ts';
import { utxoNode } from './utxo-node.ts';
import { watching } from './watching/watching.ts';

export interface FollowerParts extends Pick<Pipeline, 'log' | 'codec'> {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const nodeOf: Readonly<Record<ChainNodes['api'], (options: EvmNodeOptions) => ChainNode>> = {
  ethereum: evmNode,
  bitcoin: utxoNode,
  tron: tronNode,
  solana: solanaNode,
};

/** Follows each chain that has nodes in the settings. */
export async function startChainFollower(parts: FollowerParts, settings: FollowerSettings): Promise<Service> {
  await migrate(parts.pool, chainStoreModule, chainStoreMigrations);
  const stopping = new AbortController();
  const metrics = createFollowerMetrics(parts.metrics, parts.pool, parts.clock);
  const outbox = new Outbox({ ...parts, service: 'chain-follower' });
  outbox.start(parts.clock, (err) => parts.logger.warn({ err }, 'stored events could not be published; trying again'));
  const problems = new Map<string, string>();
  const prices =
    settings.priceSource === '' ? undefined : new PriceSource({ ...parts, source: settings.priceSource, signal: stopping.signal });
  if (prices !== undefined) metrics.observePrices(prices, settings.pricesMaxAgeMs);
  // Once before the first block: a transfer that is stored without a value keeps none.
  const pricesRead = prices?.read() ?? Promise.resolve();
  const jobs = new Jobs({ db: parts.pool, clock: parts.clock, logger: parts.logger, registry: parts.metrics.registry });
  const reading = prices && pricesRead.then(() => prices.keepReading(jobs, settings.pricesEveryMs));
  const following = followPlans(settings).map(async (plan) => {
    await pricesRead;
    await follow(plan);
  });
  return {
    warnings: () => [
      ...[...problems].map(([chain, reason]) => `${chain} is not followed now: ${reason}`),
      ...(prices?.problems(settings.pricesMaxAgeMs) ?? []).map(({ words }) => words),
    ],
    stop: async () => {
      stopping.abort();
      await Promise.all([...following, reading]);
      await outbox.stop();
    },
  };

  async function follow(plan: FollowPlan): Promise<void> {
    const { pool, clock, logger } = parts;
    const { chain } = plan;
    const { signal } = stopping;
    const follower = new ChainFollower({
      ...plan,
      pool,
      clock,
      observer: changeRecorder,
      nodes: groupOf(plan),
      ...(prices !== undefined && { valued: (row) => prices.valued(row) }),
      watching: watching(chain, { outbox, logger, metrics }),
      onStored: (blocks, rejected) => {
        metrics.blocks.inc({ chain }, blocks);
        if (rejected.length > 0) logger.warn({ chain, count: rejected.length, reason: rejected[0] }, 'transfers of a block were rejected');
      },
      onRemoved: ({ blocks, transfers }) => {
        metrics.reorganisations.inc({ chain });
        metrics.removedBlocks.inc({ chain }, blocks);
        logger.warn({ chain, blocks, transfers }, 'a reorganisation took stored blocks back');
      },
    });
    const onError = (error: unknown): void => {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : 'failed';
      problems.set(chain, reason);
      logger.warn({ chain, err: error }, 'the chain could not be followed; trying again');
      if (!(error instanceof FollowConflict)) void recordFollowError(pool, chain, reason).catch(() => undefined);
    };
    const wakeup = new Signal(clock);
    const onClosed = (reason: string): void => logger.warn({ chain, reason }, 'a node tells of no new blocks now; they are asked for');
    const listening = headsOf(settings, chain).map((url) =>
      listenForHeads({ chain, url, clock, signal, onHead: () => wakeup.notify(), onClosed }),
    );
    await repeat({ clock, every: settings.chainPollMs, signal, onError, wakeup }, async () => {
      const more = await follower.step();
      problems.delete(chain);
      return more ? 0 : settings.chainPollMs;
    });
    await Promise.all(listening);
  }

  function groupOf({ chain, urls }: FollowPlan): NodeGroup {
    const { clock, logger } = parts;
    const { nodeTimeoutMs: timeoutMs, nodeRequestsPerSecond: requestsPerSecond, chainTraces: traces } = settings;
    const options = { chain, clock, logger, signal: stopping.signal, timeoutMs, requestsPerSecond, traces };
    const open = nodeOf[nodesOf(chain)?.api ?? 'ethereum'];
    const nodes = urls.map((url, n) => open({ ...options, url, name: `${chain} ${n + 1}` }));
    const onLeft = (node: string, reason: string): void => {
      if (stopping.signal.aborted) return;
      metrics.nodesLeft.inc({ chain });
      logger.warn({ chain, node, reason }, 'a node is left for another');
    };
    return new NodeGroup({ clock, nodes, onLeft });
  }
}
