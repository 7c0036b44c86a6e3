/** All bounds of the log that are not the caller's to choose, each with its reason. Times in milliseconds. */
export const limits = {
  /** First wait before a failed record is tried again; doubles each time. Short, for most failures pass by themselves. */
  retryFirstMs: 100,
  /** Longest wait between two tries: what stands still because of a dependency starts again this soon after it is back. */
  retryLongestMs: 5_000,
  /** How long stopping, or giving up a partition, waits for work in hand before its signal is aborted. */
  drainMs: 10_000,
  /** Characters of `weir_detail`: a reason for a person, not a dump. */
  deadLetterDetail: 2_000,
  /** Below a quarter of free room reading waits this long, so that records are fetched by the batch and not one by one. */
  refillMs: 20,
} as const;

/** The wait after the `attempt`-th failure (from 1): 0.1 s, 0.2 s, 0.4 s … at most 5 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(limits.retryFirstMs * 2 ** (attempt - 1), limits.retryLongestMs);
}
