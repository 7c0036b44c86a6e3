import type { Clock } from './clock.ts';

/** The work did not end within its limit. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';
  readonly retriable = true;

  constructor(ms: number) {
    super(`no result within ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

export interface WithinOptions<L> {
  /** Called once the limit has passed: it throws, or returns the result to use instead. Throws `TimeLimitError` by default. */
  readonly late?: () => L;
  /** Ends the wait as the limit does when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Awaits `work` for at most `ms` milliseconds. Rejects as `work` does, or as `late` does when the limit passes first. A late result is ignored.
 * `work` may be a function: its signal is aborted when the wait is over, however it ended.
 */
export async function within<T, L = never>(
  clock: Clock,
  ms: number,
  work: Promise<T> | ((over: AbortSignal) => Promise<T>),
  options: WithinOptions<L> = {},
): Promise<T | L> {
  const over = new AbortController();
  const late =
    options.late ??
    ((): never => {
      throw new TimeLimitError(ms);
    });
  // Listening by hand: AbortSignal.any costs more than all the rest, and the log waits for every statement here.
  const timer = new AbortController();
  const end = (): void => timer.abort('ended');
  if (options.signal?.aborted === true) end();
  options.signal?.addEventListener('abort', end, { once: true });
  try {
    const started = typeof work === 'function' ? work(over.signal) : work;
    // When the work won, no error is built for nobody, stack and all.
    const limit = clock.sleep(ms, timer.signal).then<T | L>(() => (over.signal.aborted ? started : late()));
    return await Promise.race([started, limit]);
  } finally {
    options.signal?.removeEventListener('abort', end);
    // With a reason of its own no exception is built.
    over.abort('over');
    end();
  }
}
