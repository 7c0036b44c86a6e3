export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause in milliseconds after failure number `attempt` (from 1). It doubles each time, up to `longestMs`. */
export function backoff(attempt: number, { firstMs, longestMs }: BackoffOptions): number {
  return Math.min(firstMs * 2 ** Math.max(attempt - 1, 0), longestMs);
}
