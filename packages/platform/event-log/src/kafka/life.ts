import type { Clock } from '@weir/clock';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { type Claims, cooperativeAssigner } from './assigner.ts';
import type { KafkaClient } from './client.ts';
import { logError, askKafka } from './errors.ts';
import { settings } from './settings.ts';

/** What a member hears of its consumer. */
interface LifeEvents {
  /** What it holds, for the group's leader. */
  readonly claims: () => Claims;
  /** It is in the group: its name there, and its partitions by topic. */
  readonly joined: (memberId: string, assignment: Readonly<Record<string, readonly number[]>>) => void;
  /** The group changes: others may have committed for partitions that come here next. */
  readonly rebalancing: () => void;
  readonly fetched: (payload: EachBatchPayload) => void;
  /** Offsets that the broker has stored. */
  readonly committed: (topic: string, partition: number, offset: bigint) => void;
  /** kafkajs has given up; the consumer is out of the group. */
  readonly crashed: (error: unknown) => void;
}

export interface LifeOptions {
  readonly client: KafkaClient;
  readonly clock: Clock;
  readonly group: string;
  readonly topics: readonly string[];
  readonly events: LifeEvents;
}

/** What an event of kafkajs tells of a commit. The offset is a number of its own kind, whatever its types say. */
interface StoredOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: { toString(): string } }[];
}

/** Makes kafkajs's runner join the group again, as if a heartbeat had told it to. */
class JoinAgain extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';
}

/** One kafkajs consumer, from its first connection to its end. A member that loses it begins another. */
export class Life {
  readonly consumer: Consumer;
  readonly #options: LifeOptions;
  readonly #first = Promise.withResolvers<void>();
  #hasBegun = false;
  #joined = false;
  #joinAgain = false;
  #isOver = false;
  #lastFetch: number;
  /** When the group last said that it knows this member. */
  #heardAt = 0;
  #heartbeat: (() => Promise<void>) | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#lastFetch = options.clock.monotonic();
    this.#first.promise.catch(() => undefined);
    this.consumer = options.client.kafka.consumer({
      groupId: options.group,
      partitionAssigners: [cooperativeAssigner(() => options.events.claims())],
      sessionTimeout: settings.sessionTimeoutMs,
      rebalanceTimeout: settings.rebalanceTimeoutMs,
      heartbeatInterval: settings.heartbeatMs,
      metadataMaxAge: settings.metadataMaxAgeMs,
      maxWaitTimeInMs: settings.maxWaitMs,
      maxBytes: settings.fetchBytes,
      maxBytesPerPartition: settings.fetchBytesPerPartition,
      allowAutoTopicCreation: false,
      // Whether and how to begin again is the member's to say: it has partitions in hand.
      retry: { ...settings.retry, restartOnFailure: async () => false },
    });
    this.#listen();
  }

  /** It has been in the group. Before that a failure is `begin`'s to tell. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** In the group, with offsets that may be committed. */
  get isJoined(): boolean {
    return this.#joined && !this.#isOver;
  }

  /** How long it has not fetched anything, not even nothing. */
  get silentMs(): number {
    return this.#options.clock.monotonic() - this.#lastFetch;
  }

  /** Resolves when it is in the group. */
  async begin(): Promise<void> {
    const { clock, topics } = this.#options;
    const joining = (async () => {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await this.consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async (payload) => this.#fetched(payload) });
    })();
    // kafkajs tells of a join that failed by an event alone, and of being ended meanwhile not at all.
    await askKafka(clock, settings.joinTimeoutMs, Promise.all([joining, this.#first.promise]));
  }

  /** Joins the group again with its next fetch, so that the leader hears its present claims. */
  joinAgain(): void {
    this.#joinAgain = true;
  }

  /** Says that this member lives. The fetch loop does so too, but not while a broker is slow to answer it. */
  async beat(): Promise<void> {
    // Whatever is wrong, the fetch loop hears it as well, and acts.
    await this.#heartbeat?.().catch(() => undefined);
  }

  /** Leaves the group if it can be left in a moment. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    const wasJoined = this.isJoined;
    this.#isOver = true;
    this.#first.reject(new EventLogError('LOG_CLOSED', 'the subscription was stopped'));
    const leaving = askKafka(this.#options.clock, settings.goodbyeMs, this.consumer.disconnect()).catch(() => undefined);
    if (wasJoined) await leaving;
    this.#options.client.cut();
  }

  #listen(): void {
    const { consumer } = this;
    const { clock, events } = this.#options;
    const { CRASH, COMMIT_OFFSETS, FETCH, FETCH_START, GROUP_JOIN, HEARTBEAT, REBALANCING } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      if (this.#isOver) return;
      this.#hasBegun = true;
      this.#joined = true;
      this.#heardAt = clock.monotonic();
      events.joined(payload.memberId, payload.memberAssignment);
      this.#first.resolve();
    });
    consumer.on(REBALANCING, () => {
      this.#joined = false;
      if (!this.#isOver) events.rebalancing();
    });
    consumer.on(HEARTBEAT, () => {
      this.#heardAt = clock.monotonic();
    });
    consumer.on(FETCH_START, () => {
      // After a join that failed kafkajs fetches on: as one who may not commit, or whom the group has forgotten and who says no heartbeat.
      const isMember = this.#joined && clock.monotonic() - this.#heardAt < settings.sessionTimeoutMs;
      if (isMember && !this.#joinAgain) return;
      this.#joinAgain = false;
      // kafkajs has no call for it. What this listener throws ends the fetch loop with the error of a changed group.
      throw new JoinAgain(isMember ? 'partitions were let go of' : 'the group was not joined');
    });
    consumer.on(FETCH, () => {
      this.#lastFetch = clock.monotonic();
    });
    consumer.on(COMMIT_OFFSETS, ({ payload }) => {
      const stored: readonly StoredOffsets[] = payload.topics;
      for (const { topic, partitions } of stored)
        for (const { partition, offset } of partitions) events.committed(topic, partition, BigInt(offset.toString()));
    });
    consumer.on(CRASH, ({ payload }) => {
      if (this.#isOver) return;
      const error = logError(payload.error);
      this.#first.reject(error);
      this.#isOver = true;
      this.#options.client.cut();
      events.crashed(
        new EventLogError(error.code, `the consumer of ${this.#options.group} ended: ${error.message}`, { cause: payload.error }),
      );
    });
  }

  #fetched(payload: EachBatchPayload): void {
    this.#heartbeat = () => payload.heartbeat();
    if (!this.#isOver) this.#options.events.fetched(payload);
  }
}
