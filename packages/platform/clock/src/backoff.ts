export interface BackoffOptions {
  /** Milliseconds after the first attempt that failed. */
  readonly firstMs: number;
  /** Milliseconds that no pause exceeds. */
  readonly longestMs: number;
}

/** The pause after the `attempt`-th failure (from 1), in milliseconds: doubles each time, up to `longestMs`. */
export function backoff(attempt: number, { firstMs, longestMs }: BackoffOptions): number {
  return Math.min(firstMs * 2 ** Math.max(attempt - 1, 0), longestMs);
}
