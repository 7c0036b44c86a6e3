/** Bounds of the Kafka adapter. Times in milliseconds. */
export const settings = {
  connectTimeoutMs: 3_000,
  /** For a broker's answer; deliberate waits (fetch, join) add their own time. */
  requestTimeoutMs: 10_000,
  /** Retries within kafkajs: 0.1 to 1 s apart, some 5 s in all. Then our own loops retry, and report it. */
  retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 },

  /** A publish without an answer rejects after this, and its producer is replaced. */
  appendTimeoutMs: 15_000,
  /** Per partition and request; kafkajs makes one batch of them, which `max.message.bytes` bounds (default 1 MiB). */
  batchBytes: 900 * 1024,
  askTimeoutMs: 10_000,
  /** Partition counts are asked for again after this, and a member finds added partitions. */
  metadataMaxAgeMs: 5_000,
  /** A publish waits for the count of a topic only if it knows none, or an older one. */
  oldestCountMs: 20_000,

  /** Partitions of a silent member move within ten seconds. Brokers allow no less than 6 s. */
  sessionTimeoutMs: 7_000,
  /** Members learn of a rebalance by heartbeat, so this is most of its duration. */
  heartbeatMs: 500,
  /** The group's wait for members to rejoin. Ours rejoin at once, with work in hand. */
  rebalanceTimeoutMs: 10_000,
  /** Until the group knows a new member; others may have to rejoin first. */
  joinTimeoutMs: 30_000,
  /** A fetch's wait for records. Leaving, rejoining and resuming also wait for it. */
  maxWaitMs: 100,
  /** A fetch of a member whose records may linger for longer than `maxWaitMs` waits for as many bytes. At 1, each record costs a request. */
  lingeringBytes: 64 * 1024,
  fetchBytes: 8 * 1024 * 1024,
  fetchBytesPerPartition: 1024 * 1024,
  commitEveryMs: 250,

  /** Repeats the commit at a gap, so that others see the gap. */
  recommitMs: 5_000,

  pauseMs: 500,
  rest: { firstMs: 500, longestMs: 5_000 },
  /** The watchdog's interval, and its limit without progress despite unread records. */
  watchEveryMs: 5_000,
  stallMs: 20_000,
  goodbyeMs: 2_000,
} as const;
