/** Fixed bounds of the log. Times in milliseconds. */
export const limits = {
  /** Short first, since most errors pass quickly; never long once a dependency is back. */
  retry: { firstMs: 100, longestMs: 5_000 },
  /** A stop or release waits this long for work in hand before its signal aborts. */
  drainMs: 10_000,
  /** Characters of `weir_detail`, a reason for a person. */
  deadLetterDetail: 2_000,
  /** Below a quarter of free room, reading waits this long, so that records come in batches. */
  refillMs: 20,
  /** One append: large enough to share its cost, small enough for a few tens of milliseconds. */
  appendRecords: 1_000,
  appendBytes: 4 * 1024 * 1024,
  /** Bounds of the publish queue and of one call, which bound memory while the log is slow. */
  waitingRecords: 100_000,
  waitingBytes: 64 * 1024 * 1024,
  browseRecords: 10_000,
} as const;
