import { systemClock } from '@weir/clock';
import { type BudgetLimits, type Lane, PacedSender, type RateBudget } from './index.ts';

/** The part of the limit that was used, and the shortest time that one send more than the limit took (without end when there were not as many). */
export function measure(sent: readonly number[], perSecond: number): { share: number; shortestMs: number; text: string } {
  const shortestMs = Math.min(...sent.slice(perSecond).map((at, i) => at - sent[i]!));
  const tookMs = (sent.at(-1) ?? 0) - (sent[0] ?? 0);
  const share = (sent.length - 1) / (tookMs / 1_000) / perSecond;
  const text = `${sent.length} sends in ${tookMs.toFixed(0)} ms: ${(100 * share).toFixed(1)} % of the limit; shortest span of ${perSecond + 1} sends ${shortestMs.toFixed(1)} ms`;
  return { share, shortestMs, text };
}

/** One sender on each of these budgets, without a pause; a failing budget is asked again after 50 ms. `sent` grows until `stop`. */
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
  /** Moments of all sends, in order; monotonic milliseconds. */
  readonly sent: readonly number[];
  /** What `sendNext` rejected with. */
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
}
