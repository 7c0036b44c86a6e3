/** The PostgreSQL adapter's own bounds, each with its reason. Times in milliseconds. */
export const settings = {
  channel: 'weir_log',

  /** A publish rejects after this long without an answer. */
  appendTimeoutMs: 15_000,
  statementTimeoutMs: 5_000,

  /** Bytes of values per read, shared by the partitions that are read, with at least this much for each. */
  readBytes: 8 * 1024 * 1024,
  readBytesPerPartition: 256 * 1024,
  /** A notification can get lost with its connection; after this long everything is looked at again. */
  pollMs: 5_000,

  /** Watermarks are committed at most this often per process. */
  commitEveryMs: 50,
  /** How often the group is looked after without being told of a change: the death of a process is told by nobody. */
  rebalanceEveryMs: 1_000,
  /** Pause after a statement that failed: the database needs a moment. */
  pauseMs: 500,
  /** Tries to leave a group in order before that is left to the end of the session. */
  leaveAttempts: 3,

  /** Records deleted per transaction when trimming. */
  trimBatch: 5_000,
} as const;
