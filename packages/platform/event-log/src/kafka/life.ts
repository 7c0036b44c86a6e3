import type { Clock } from '@weir/clock';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { type Claims, cooperativeAssigner } from './assigner.ts';
import type { KafkaClient } from './client.ts';
import { logError, askKafka } from './errors.ts';
import { settings } from './settings.ts';

interface LifeEvents {
  readonly claims: () => Claims;
  readonly joined: (memberId: string, assignment: Readonly<Record<string, readonly number[]>>) => void;
  /** During a rebalance others may commit for partitions that come here next. */
  readonly rebalancing: () => void;
  readonly fetched: (payload: EachBatchPayload) => void;
  readonly committed: (topic: string, partition: number, offset: bigint) => void;
  /** kafkajs gave up; the consumer is out of the group. */
  readonly crashed: (error: unknown) => void;
}

export interface LifeOptions {
  readonly client: KafkaClient;
  readonly clock: Clock;
  readonly group: string;
  readonly topics: readonly string[];
  /** How long a record may wait to fill a batch, in milliseconds. */
  readonly lingerMs: number;
  readonly events: LifeEvents;
}

/** A commit event of kafkajs. Despite its type, the offset is a Long. */
interface StoredOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: { toString(): string } }[];
}

/** Makes kafkajs rejoin, as after a heartbeat during a rebalance. */
class JoinAgain extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';
}

export class Life {
  readonly consumer: Consumer;
  readonly #options: LifeOptions;
  readonly #first = Promise.withResolvers<void>();
  #hasBegun = false;
  #joined = false;
  #joinAgain = false;
  #isOver = false;
  #lastFetch: number;
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
      minBytes: options.lingerMs < settings.maxWaitMs ? 1 : settings.lingeringBytes,
      maxBytes: settings.fetchBytes,
      maxBytesPerPartition: settings.fetchBytesPerPartition,
      allowAutoTopicCreation: false,
      // The member decides on restarts, since it has partitions in hand.
      retry: { ...settings.retry, restartOnFailure: async () => false },
    });
    this.#listen();
  }

  /** It has joined. Earlier failures reject `begin`. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** In the group, so offsets may be committed. */
  get isJoined(): boolean {
    return this.#joined && !this.#isOver;
  }

  /** Time since the last fetch, even an empty one. */
  get silentMs(): number {
    return this.#options.clock.monotonic() - this.#lastFetch;
  }

  async begin(): Promise<void> {
    const { clock, topics } = this.#options;
    const joining = (async () => {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await this.consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async (payload) => this.#fetched(payload) });
    })();
    // kafkajs reports a failed join only by an event, and a stop during the join not at all.
    await askKafka(clock, settings.joinTimeoutMs, Promise.all([joining, this.#first.promise]));
  }

  /** Rejoins at the next fetch, so that the leader receives the new claims. */
  joinAgain(): void {
    this.#joinAgain = true;
  }

  /** Sends a heartbeat. The fetch loop also sends them, but not while a broker answers slowly. */
  async beat(): Promise<void> {
    // The fetch loop meets the same error, and handles it.
    await this.#heartbeat?.().catch(() => undefined);
  }

  /** Leaves the group if that takes only a moment. */
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
      // After a failed join kafkajs keeps fetching without the right to commit, or forgotten by the group and without heartbeats.
      const isMember = this.#joined && clock.monotonic() - this.#heardAt < settings.sessionTimeoutMs;
      if (isMember && !this.#joinAgain) return;
      this.#joinAgain = false;
      // kafkajs has no call for it. An error from this listener ends the fetch loop like a rebalance.
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
