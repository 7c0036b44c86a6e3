/** A topic, and how many partitions it has. Partitions can be added later, never taken away. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
}

/** A record to append. Records of one key go to one partition and keep their order. */
export interface OutgoingRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record of the log. Offsets of a partition grow, but may have gaps. */
export interface LogRecord extends OutgoingRecord {
  readonly partition: number;
  readonly offset: bigint;
  /** Unix time in milliseconds at which the record was appended. */
  readonly timestamp: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Records that a group had yet to read are gone from a partition. The group does not read it until `resume`. */
export interface LogGap extends TopicPartition {
  readonly group: string;
  /** The offset of the first record that is gone. */
  readonly missing: bigint;
  /** The first offset that the log still holds. */
  readonly available: bigint;
}

/** Records of a partition that a group has not committed yet. */
export interface PartitionLag extends TopicPartition {
  readonly lag: bigint;
  /** The offset that the next record of the partition will have. */
  readonly end: bigint;
  /** Present when records are gone that the group had yet to read. */
  readonly gap?: LogGap;
}

export interface HandleContext {
  /** Aborted when the work should be given up: the subscription's time to stop has run out, or the partition now belongs to another member. */
  readonly signal: AbortSignal;
}

export interface SubscribeOptions {
  /** Members of one group share the partitions of its topics. A new group starts at the beginning of each topic, see `begin`. */
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Where a new group begins: at offset 0 (`start`, unless told otherwise), so that trimmed records are a gap, or at the first record that is
   * still there (`present`).
   */
  readonly begin?: 'start' | 'present';
  /** Records handed out or waiting here, not completed; the bound of memory. */
  readonly maxInFlight: number;
  /** Records per call of `handle`. */
  readonly maxBatch: number;
  /** Calls of `handle` under way at once, repeats of what failed aside; as many as there is work for when absent. With few, what comes meanwhile goes together in the next one. */
  readonly maxCalls?: number;
  /** How long a record may wait for others to go with it, in milliseconds; not at all when absent. For what is in no hurry. */
  readonly lingerMs?: number;
  /**
   * Completes when all records of the batch are dealt with, durably. Several calls run at once, never two for the same key
   * (of whatever topic); records of one key come in order. A batch may hold several topics. Delivery is at least once.
   *
   * When it throws, a batch of several keys is split by key and a run of one key into single records. A single record that throws
   * `PoisonRecord` goes to `<topic>.dlq`; after any other error the record is tried again for ever: after 0.1 s, 0.2 s, 0.4 s … at most 5 s.
   */
  handle(records: readonly LogRecord[], context: HandleContext): Promise<void>;
  /** Told of what was dead-lettered, after it is durable there. `reason` is the code of the `PoisonRecord`. */
  onDeadLetter?(record: LogRecord, reason: string): void;
  /** Told of each failed attempt that will be repeated, whole or split. */
  onError?(error: unknown, records: readonly LogRecord[]): void;
}

export interface Subscription {
  /** The partitions this member has at the moment. */
  readonly assigned: readonly TopicPartition[];
  /** Hands nothing out any more, waits for work in hand (at most 10 s), commits what completed and leaves the group. */
  stop(): Promise<void>;
}

/** An append-only log of keyed records in topics, shared by all services. Failures are `EventLogError`. */
export interface EventLog {
  /** Makes what is missing; a topic that has fewer partitions gets more. Makes no `.dlq` topic by itself. */
  createTopics(topics: readonly TopicSpec[]): Promise<void>;
  /**
   * Resolves when all of the records are durable. Records of one key keep their order. When it rejects nothing is written, but for
   * LOG_UNAVAILABLE: then any of them may be, and what is published again may be there twice.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** Joins a group. Resolves when the member is known to the group; its partitions come soon after. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Up to `limit` records of a partition from offset `from` on, in order; outside any group, for browsing. */
  read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]>;
  /** How many partitions the topic has. */
  partitions(topic: string): Promise<number>;
  /** What the group has yet to commit, for every partition of the topics it has subscribed to. Empty for an unknown group. */
  lag(group: string): Promise<readonly PartitionLag[]>;
  /** Lets the group of each gap go on at its `available`; throws `GROUP_ACTIVE` where the adapter needs a group without members. */
  resume(gaps: readonly LogGap[]): Promise<void>;
  /** Stops all subscriptions, letting work in hand finish (at most 10 s). */
  close(): Promise<void>;
}

/** Thrown by `handle` for a record that no repeat can help: it is moved to `<topic>.dlq`. */
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
