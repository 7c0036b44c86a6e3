import { systemClock } from '@weir/clock';
import { type BudgetLimits, type Lane, PacedSender, type RateBudget } from './index.ts';

/** The used share of the limit, and the shortest span of one send more than the limit (infinite with fewer sends). */
export function measure(sent: readonly number[], perSecond: number): { share: number; shortestMs: number; text: string } {
  const shortestMs = Math.min(...sent.slice(perSecond).map((at, i) => at - sent[i]!));
  const tookMs = (sent.at(-1) ?? 0) - (sent[0] ?? 0);
  const share = (sent.length - 1) / (tookMs / 1_000) / perSecond;
  const text = `${sent.length} sends in ${tookMs.toFixed(0)} ms: ${(100 * share).toFixed(1)} % of the limit; shortest span of ${perSecond + 1} sends ${shortestMs.toFixed(1)} ms`;
  return { share, shortestMs, text };
}

/** One sender per budget, without a pause; retries a failing budget after 50 ms. `sent` grows until `stop`. */
export function drive(budgets: readonly RateBudget[], limits: BudgetLimits): Driven {
  const sent: number[] = [];
  const failures: unknown[] = [];
  const stop = new AbortController();
  const waiting: Record<Lane, number> = { withdrawal: 1, deposit: 1, rescreen: 0 };
  const loop = async (budget: RateBudget): Promise<void> => {
    const sender = new PacedSender({ budget, clock: systemClock, limits });
    while (!stop.signal.aborted) {
      const asked = sender.sendNext(
        () => waiting,
        (_lane, arrived) => {
          sent.push(systemClock.monotonic());
          arrived();
        },
        stop.signal,
      );
      await asked.catch(async (error: unknown) => {
        failures.push(error);
        await systemClock.sleep(50, stop.signal);
      });
    }
  };
  const loops = Promise.all(budgets.map(loop));
  return {
    sent,
    failures,
    stop: async () => {
      stop.abort();
      await loops;
    },
  };
}

export interface Driven {
  /** Times of all sends, in order; monotonic milliseconds. */
  readonly sent: readonly number[];
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
}
