import {
  type Block,
  checkChain,
  findTraceMethod,
  hashAt,
  heightOf,
  type Node,
  openNode,
  readBlocks,
  type TraceMethod,
} from '@weir/chain-import';
import type { Chain } from '@weir/chains';
import type { Clock } from '@weir/clock';
import { memoryBudget, type RateBudget } from '@weir/rate-budget';
import type { Logger } from '@weir/service-kit';
import type { ChainNode } from './chain-node.ts';

export interface EvmNodeOptions {
  readonly chain: Chain;
  readonly url: string;
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly requestsPerSecond: number;
  /** False: payments of contracts are not read. */
  readonly traces: boolean;
}

interface Opened {
  readonly node: Node;
  readonly traces: TraceMethod | undefined;
}

/** A node with Ethereum's JSON-RPC. Nothing is asked before the first call, so that a node which is away delays no start. */
export function evmNode(options: EvmNodeOptions): ChainNode {
  const { chain, name, logger } = options;
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const node = await pacedNode(options);
    await checkChain(node, chain);
    if (!options.traces) return { node, traces: undefined };
    const traces = await findTraceMethod(node, await heightOf(node, 'latest'));
    if (traces === undefined)
      logger.warn({ chain, node: name }, 'the node has no traces: payments of contracts within a transaction are missing');
    return { node, traces };
  };
  const use = (): Promise<Opened> => {
    const used = (opened ??= open());
    // Another attempt opens it anew.
    used.catch(() => {
      if (opened === used) opened = undefined;
    });
    return used;
  };
  return {
    name,
    head: async () => heightOf((await use()).node, 'latest'),
    hashAt: async (height) => hashAt((await use()).node, height),
    blocks: async (range) => {
      const { node, traces } = await use();
      const blocks: Block[] = [];
      for await (const block of readBlocks(node, { chain, source: 'node' }, range, traces)) blocks.push(block);
      return blocks;
    },
  };
}

/** One attempt for each request: another node is asked instead. */
async function pacedNode({ url, clock, signal, timeoutMs, requestsPerSecond }: EvmNodeOptions): Promise<Node> {
  const node = await openNode(url, { signal, timeoutMs, retries: 0 });
  const budget = memoryBudget({ clock, limits: { perSecond: requestsPerSecond, perDay: requestsPerSecond * 86_400 } });
  return {
    ask: async (method, params) => {
      await granted(budget, clock, signal);
      return node.ask(method, params);
    },
  };
}

/** Waits for as many requests as are ahead of it. */
async function granted(budget: RateBudget, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const grant = await budget.take('withdrawal');
    if (grant.granted) return;
    await clock.sleep(grant.waitMs, signal);
  }
}
