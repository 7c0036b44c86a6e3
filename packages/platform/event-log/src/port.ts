import type { Queryable } from '@weir/postgres';

/** A topic. Partitions can be added, never removed. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
}

/** A record to append. Records of one key share a partition and keep their order. */
export interface OutgoingRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A stored record. Offsets of a partition grow, but may have gaps. */
export interface LogRecord extends OutgoingRecord {
  readonly partition: number;
  readonly offset: bigint;
  /** Append time in Unix milliseconds. */
  readonly timestamp: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Where a record is stored. */
export interface RecordPlace extends TopicPartition {
  readonly offset: bigint;
}

/** Unread records of a group are missing from a partition. The group stops reading it until `resume`. */
export interface LogGap extends TopicPartition {
  readonly group: string;
  readonly missing: bigint;
  readonly available: bigint;
}

/** A group's uncommitted records in a partition. */
export interface PartitionLag extends TopicPartition {
  readonly lag: bigint;
  readonly end: bigint;
  readonly gap?: LogGap;
}

export interface HandleContext {
  /** Aborts when the work should stop: the time for stopping ran out, or another member owns the partition. */
  readonly signal: AbortSignal;
}

/** Records of a key are handed out together. A member without room for more hands out all that it has. */
export interface Gathering {
  /** About the time from the last record until they are handed out, in milliseconds: between half of it and one and a half. */
  readonly ms: number;
  /** The most for the first record, where the last does not come, give or take half of `ms`. */
  readonly mostMs: number;
  isLast(record: LogRecord): boolean;
}

export interface SubscribeOptions {
  /** Members of a group share the partitions of its topics. See `begin` for a new group. */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * The start of a group without offsets: offset 0 (`start`, the default), where trimmed records are a gap, or the first record still
   * present (`present`). A broker removes the offsets of a group that is away for long. So pass `present` only for a group that has never
   * begun.
   */
  readonly begin?: 'start' | 'present';
  /** Incomplete records, waiting or in hand; bounds memory. */
  readonly maxInFlight: number;
  readonly maxBatch: number;
  /** Concurrent calls of `handle`, not counting retries; default unlimited. A low limit makes larger batches. */
  readonly maxCalls?: number;
  /** How long a record may wait to fill a batch, in milliseconds; default 0. */
  readonly lingerMs?: number;
  /** Replaces `lingerMs` where the records of one key belong together. */
  readonly gather?: Gathering;
  /**
   * Resolves once all records of the batch are handled durably. Calls run concurrently, never two for the same key (across topics); records
   * of a key come in order. A batch may span topics. Delivery is at least once.
   *
   * When it throws, a batch is split by key, and a run of one key into single records. A single record that throws `PoisonRecord` goes to
   * `<topic>.dlq`. After any other error it is retried without limit: after 0.1 s, 0.2 s, 0.4 s … at most 5 s.
   */
  handle(records: readonly LogRecord[], context: HandleContext): Promise<void>;
  /** Whether the work of a delivered record is durable already. Then it is complete, and `handle` does not get it. */
  isHandled?(record: LogRecord): boolean;
  /** Receives each dead letter once it is durable. `reason` is the code of the `PoisonRecord`. */
  onDeadLetter?(record: LogRecord, reason: string): void;
  /** Receives each failed attempt that will be retried, whole or split. */
  onError?(error: unknown, records: readonly LogRecord[]): void;
}

export interface Subscription {
  readonly assigned: readonly TopicPartition[];
  /**
   * Whether this member reads the records of the key. Then the transaction that stores one may also handle it, and the member passes over
   * it (`passOver`, `isHandled`). No guarantee: the partition may move meanwhile, and its new owner is handed the record again.
   */
  isAssigned(topic: string, key: string): boolean;
  /**
   * Absent where `append` is. The transaction that has appended these records handles them too: if it commits, they are complete. Call it
   * before the commit, or they may be read first. `committed` must not reject; false also where nobody knows.
   */
  passOver?(places: readonly RecordPlace[], committed: Promise<boolean>): void;
  /** Starts no more work, waits at most 10 s for work in hand, commits and leaves the group. */
  stop(): Promise<void>;
}

/** An append-only log of keyed records, shared by all services. Rejects with `EventLogError`. */
export interface EventLog {
  /** Creates missing topics and adds partitions. Does not create `.dlq` topics itself. */
  createTopics(topics: readonly TopicSpec[]): Promise<void>;
  /**
   * Resolves when all records are durable. Records of a key keep their order. On rejection nothing was written, except for LOG_UNAVAILABLE:
   * then any may be, and publishing again may duplicate them.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /**
   * Absent where the log is not in its users' database, as on Kafka. Appends in `tx`: the records become true with its state, and are read
   * after its commit. Call it once, last: it holds their partitions until the commit. After a rejection `tx` must not commit. Resolves with
   * the place of each record. `committed`: the outcome of `tx`, false also where nobody knows; it must not reject. With it the log hands
   * the records to the subscriptions of this process without reading them.
   */
  append?(tx: Queryable, records: readonly OutgoingRecord[], committed?: Promise<boolean>): Promise<readonly RecordPlace[]>;
  /** Joins a group. Resolves when the group knows the member; partitions follow soon. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Reads up to `limit` records from offset `from` in order, outside any group. */
  read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]>;
  partitions(topic: string): Promise<number>;
  /** The offset of the next record of each partition, in their order. */
  ends(topic: string): Promise<readonly bigint[]>;
  /** The group's lag in every partition of its topics. Empty for an unknown group. */
  lag(group: string): Promise<readonly PartitionLag[]>;
  /** Continues the group of each gap at its `available`. Throws `GROUP_ACTIVE` if the adapter needs a group without members. */
  resume(gaps: readonly LogGap[]): Promise<void>;
  /** Removes the offsets of a group, which then is a new one. Throws `GROUP_ACTIVE` while it has members. */
  forget(group: string): Promise<void>;
  /** Stops all subscriptions; waits at most 10 s for work in hand. */
  close(): Promise<void>;
}

/** Thrown by `handle` if no retry can help: the record moves to `<topic>.dlq`. */
export class PoisonRecord extends Error {
  /** An UPPER_SNAKE code. */
  readonly reason: string;
  readonly detail: string;

  constructor(reason: string, detail: string) {
    super(`${reason}: ${detail}`);
    this.name = 'PoisonRecord';
    this.reason = reason;
    this.detail = detail;
  }
}
