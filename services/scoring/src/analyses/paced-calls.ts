import type { Clock } from '@weir/clock';
import { PacedSender, type RateBudget } from '@weir/rate-budget';
import type { Refusal } from '@weir/risk-client';
import type { ProviderLimits } from '@weir/risk-provider';

/** The call was not made, or the provider has refused it for its limits. */
type Limited = Extract<Refusal, { kind: 'limited' }>;

export interface PacedCallsOptions {
  readonly budget: RateBudget;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly onStale: () => void;
}

interface Job {
  start(arrived: () => void): Promise<void>;
  refuse(limited: Limited): void;
  fail(error: unknown): void;
}

/** Of several people at once. */
const mostWaiting = 32;
/** A person does not wait longer for a turn. */
const longestWaitMs = 10_000;
const busy: Limited = { kind: 'limited', window: 'second', retryAfterMs: 1_000 };

/**
 * Calls that people ask for, within the budget that all lookups share, and in the lane of re-screenings: what the day keeps for deposits and
 * withdrawals is not theirs.
 */
export class PacedCalls {
  readonly #clock: Clock;
  readonly #budget: RateBudget;
  readonly #sender: PacedSender;
  readonly #queue: Job[] = [];
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;

  constructor({ budget, limits, clock, onStale }: PacedCallsOptions) {
    this.#clock = clock;
    this.#budget = budget;
    this.#sender = new PacedSender({ budget, limits, clock, onStale });
  }

  /** Resolves with the call's answer, or `limited` without one. Rejects when the budget cannot be read, and when `call` does. */
  run<A extends { readonly kind: string }>(call: () => Promise<A>): Promise<A | Limited> {
    if (this.#stop.signal.aborted || this.#queue.length >= mostWaiting) return Promise.resolve(busy);
    const { promise, resolve, reject } = Promise.withResolvers<A | Limited>();
    const given = new AbortController();
    const job: Job = {
      start: async (arrived) => {
        given.abort();
        try {
          const answer = await call();
          // A call that was not answered may still be on its way.
          if (answer.kind !== 'unavailable') arrived();
          if (isLimited(answer)) await this.#budget.pause(answer.window, answer.retryAfterMs);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      },
      refuse: (limited) => {
        given.abort();
        resolve(limited);
      },
      fail: (error) => {
        given.abort();
        reject(error);
      },
    };
    this.#queue.push(job);
    void this.#clock.sleep(longestWaitMs, given.signal).then(() => {
      const at = this.#queue.indexOf(job);
      if (at < 0) return;
      this.#queue.splice(at, 1);
      resolve(busy);
    });
    this.#sending ??= this.#send();
    return promise;
  }

  /** Makes no further call. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
    this.#refuseAll(busy);
  }

  async #send(): Promise<void> {
    try {
      while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
        const sent = await this.#sender.sendNext(
          () => ({ withdrawal: 0, deposit: 0, rescreen: this.#queue.length }),
          (_, arrived) => void this.#queue.shift()?.start(arrived),
          this.#stop.signal,
        );
        if (sent.kind === 'denied') this.#refuseAll({ kind: 'limited', window: 'day', retryAfterMs: sent.waitMs });
      }
    } catch (error) {
      for (const job of this.#queue.splice(0)) job.fail(error);
    } finally {
      this.#sending = undefined;
    }
  }

  #refuseAll(limited: Limited): void {
    for (const job of this.#queue.splice(0)) job.refuse(limited);
  }
}

function isLimited(answer: { readonly kind: string }): answer is Limited {
  return answer.kind === 'limited';
}
