/** Bounds of the PostgreSQL adapter. Times in milliseconds. */
export const settings = {
  channel: 'weir_log',

  appendTimeoutMs: 15_000,
  statementTimeoutMs: 5_000,
  /** How long a transaction may pause between its append and its commit, while others wait for its partitions. */
  heldPartitionsMs: 5_000,

  /** Value bytes per read, shared by its partitions, and the least for each. */
  readBytes: 8 * 1024 * 1024,
  readBytesPerPartition: 256 * 1024,
  /** A lost connection can lose a notification, so everything is polled at this interval. */
  pollMs: 5_000,

  /** Records of a partition that are passed over before they were reached; beyond that they are read. */
  mostPassed: 10_000,

  /** A commit comes after such a pause without a completed record, and within `commitWithinMs`: it writes a row for each partition that moved. */
  commitEveryMs: 250,
  /** What a crash hands out again. */
  commitWithinMs: 1_000,
  /** Group checks without a notification: the death of a process sends none. */
  rebalanceEveryMs: 1_000,
  pauseMs: 500,
  /** Attempts to leave a group; after them the end of the session does it. */
  leaveAttempts: 3,

  trimBatch: 5_000,
} as const;
