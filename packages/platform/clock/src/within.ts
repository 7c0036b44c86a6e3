import type { Clock } from './clock.ts';

export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';
  readonly retriable = true;

  constructor(ms: number) {
    super(`no result within ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

export interface WithinOptions<L> {
  /** Runs when the limit passes: it throws, or returns the substitute result. Default: throws `TimeLimitError`. */
  readonly late?: () => L;
  /** Aborting it ends the wait as the limit does. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Awaits `work` for at most `ms` milliseconds. Rejects as `work` or `late` does; ignores a late result. If `work` is a function, its signal
 * aborts when the wait ends.
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
  // AbortSignal.any costs more than everything else here, and every statement of the log passes here.
  const timer = new AbortController();
  const end = (): void => timer.abort('ended');
  if (options.signal?.aborted === true) end();
  options.signal?.addEventListener('abort', end, { once: true });
  try {
    const started = typeof work === 'function' ? work(over.signal) : work;
    // If the work won, `late` must not build an error.
    const limit = clock.sleep(ms, timer.signal).then<T | L>(() => (over.signal.aborted ? started : late()));
    return await Promise.race([started, limit]);
  } finally {
    options.signal?.removeEventListener('abort', end);
    // A reason avoids building an exception.
    over.abort('over');
    end();
  }
}
