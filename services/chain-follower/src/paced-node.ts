import { type Node, openNode, openTronNode, type TronNode } from '@weir/chain-import';
import type { Clock } from '@weir/clock';
import { memoryBudget, type RateBudget } from '@weir/rate-budget';

export interface PacedNodeOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly requestsPerSecond: number;
}

/** One attempt for each request: another node is asked instead. */
export async function pacedNode({ url, clock, signal, timeoutMs, requestsPerSecond }: PacedNodeOptions): Promise<Node> {
  const node = await openNode(url, { signal, timeoutMs, retries: 0 });
  return paced(node, { clock, signal, requestsPerSecond });
}

/** The same for a full node of TRON. */
export function pacedTronNode({ url, clock, signal, timeoutMs, requestsPerSecond }: PacedNodeOptions): TronNode {
  return paced(openTronNode(url, { clock, signal, timeoutMs }), { clock, signal, requestsPerSecond });
}

function paced<A extends readonly unknown[]>(
  node: { ask(...args: A): Promise<unknown> },
  { clock, signal, requestsPerSecond }: Pick<PacedNodeOptions, 'clock' | 'signal' | 'requestsPerSecond'>,
): { ask(...args: A): Promise<unknown> } {
  const budget = memoryBudget({ clock, limits: { perSecond: requestsPerSecond, perDay: requestsPerSecond * 86_400 } });
  return {
    ask: async (...args) => {
      await granted(budget, clock, signal);
      return node.ask(...args);
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
