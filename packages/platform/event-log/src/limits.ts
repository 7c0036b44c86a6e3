/** All bounds of the log that are not the caller's to choose, each with its reason. Times in milliseconds. */
export const limits = {
  /** Pauses before a failed record is tried again: short at first, as most failures pass by themselves, and never long once a dependency is back. */
  retry: { firstMs: 100, longestMs: 5_000 },
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
