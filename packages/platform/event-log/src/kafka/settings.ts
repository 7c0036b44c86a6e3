/** The Kafka adapter's own bounds, each with its reason. Times in milliseconds. */
export const settings = {
  /** To open a connection, and for the broker's word on who we are. */
  connectTimeoutMs: 3_000,
  /** An answer of the broker; what waits there on purpose (a fetch, a join) adds its own time. */
  requestTimeoutMs: 10_000,
  /** Tries again within kafkajs: 0.1, 0.2 … 1 s apart, some 5 s in all. Past that our own loops go on, and say so. */
  retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 },

  /** A publish rejects after this long without an answer, and its producer is given up. */
  appendTimeoutMs: 15_000,
  /**
   * Bytes of one partition's records in one request, unless a single record is larger: kafkajs makes one batch of them, and a
   * topic's `max.message.bytes` (1 MiB unless set) bounds the batch.
   */
  batchBytes: 900 * 1024,
  /** Questions about topics and offsets. */
  askTimeoutMs: 10_000,
  /** How long the number of partitions of a topic is believed, and how soon a member finds partitions that were added. */
  metadataMaxAgeMs: 5_000,

  /** Silence after which the group takes a member for dead: its partitions move within ten seconds. Brokers allow no less than 6 s. */
  sessionTimeoutMs: 7_000,
  /** A member hears with its next heartbeat that the group changes, so this is most of a rebalance's time. */
  heartbeatMs: 500,
  /** How long the group waits for members to join again. Ours do so at once, with work in hand. */
  rebalanceTimeoutMs: 10_000,
  /** Until a new member is known to the group; others may have to join again first. */
  joinTimeoutMs: 30_000,
  /** How long a fetch waits for records. Leaving, joining again and reading on after a pause wait for it, too. */
  maxWaitMs: 100,
  /** Bytes of one fetch, and of each partition in it. */
  fetchBytes: 8 * 1024 * 1024,
  fetchBytesPerPartition: 1024 * 1024,
  /** Watermarks are committed at most this often per member. */
  commitEveryMs: 100,

  /** How often the offset of a partition at a gap is committed again, so that others see the gap. */
  recommitMs: 5_000,

  /** Pause after background work that failed: the broker needs a moment. */
  pauseMs: 500,
  /** Rests of a partition about which questions fail. */
  rest: { firstMs: 500, longestMs: 5_000 },
  /** How often the watchdog looks, and how long a member may stand still with records to read. */
  watchEveryMs: 5_000,
  stallMs: 20_000,
  /** For a client to say goodbye; after that its sockets are cut. */
  goodbyeMs: 2_000,
} as const;
