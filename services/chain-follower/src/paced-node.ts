import { type Node, openNode } from '@weir/chain-import';
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
