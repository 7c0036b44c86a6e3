import type { Clock } from './clock.ts';
import { WeirError } from './errors.ts';

export interface RetryPolicy {
  /** Attempts of one call, the first included. 1: no retry. Default 5. */
  readonly attempts: number;
  /** Pause before the first retry; each is twice as long. Default 200. */
  readonly firstMs: number;
  /** Longest pause, Retry-After included. A server that asks for more ends the retries. Default 10,000. */
  readonly longestMs: number;
}

export const defaultRetry: RetryPolicy = { attempts: 5, firstMs: 200, longestMs: 10_000 };

/** Pause after failure number `failures` (from 1): doubled each time, shortened by up to a half by chance so that clients spread. */
export function pauseOf(failures: number, { firstMs, longestMs }: RetryPolicy, random: () => number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 - random() / 2);
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly random: () => number;
  /** Whether a repeat has no second effect. Other calls are repeated only when Weir has not acted on them. */
  readonly isIdempotent: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Repeats `attempt` where that is safe. `failures` counts the failures before. Rejects with the last error. */
export async function retrying<T>(options: RetryOptions, attempt: (failures: number) => Promise<T>): Promise<T> {
  const { clock, policy, random, isIdempotent, signal } = options;
  for (let failures = 0; ; ) {
    try {
      return await attempt(failures);
    } catch (error) {
      failures += 1;
      if (!(error instanceof WeirError) || !error.retriable || failures >= policy.attempts) throw error;
      if (!isIdempotent && !error.isUnprocessed) throw error;
      const askedMs = error.retryAfterMs ?? 0;
      if (askedMs > policy.longestMs) throw error;
      await clock.sleep(Math.max(pauseOf(failures, policy, random), askedMs), signal);
      if (signal?.aborted) throw new WeirError('ABORTED', 'the caller has aborted it');
    }
  }
}
