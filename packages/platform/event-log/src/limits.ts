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
  /** One append: large enough that what it costs is shared, small enough to take a few tens of milliseconds. */
  appendRecords: 1_000,
  appendBytes: 4 * 1024 * 1024,
  /** What may wait to be published, and the most one call may bring: the bound of memory while the log is slow. */
  waitingRecords: 100_000,
  waitingBytes: 64 * 1024 * 1024,
  /** Records that `read` returns at most, whatever is asked for. */
  browseRecords: 10_000,
} as const;

/** The wait after the `attempt`-th failure (from 1): 0.1 s, 0.2 s, 0.4 s … at most 5 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(limits.retryFirstMs * 2 ** (attempt - 1), limits.retryLongestMs);
}
