import type { Clock } from '@weir/clock';
import type { Admin, Cluster } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { gapOf } from '../gap.ts';
import type { LogGap, PartitionLag } from '../port.ts';
import type { KafkaClient } from './client.ts';
import { hasType, isGroupChange, askKafka } from './errors.ts';
import { settings } from './settings.ts';

/** The offsets that a partition holds: from `low` up to, not including, `high`. */
export interface Extent {
  readonly low: bigint;
  readonly high: bigint;
}

interface Count {
  readonly partitions: number;
  readonly until: number;
}

/** Topics, offsets and groups as the brokers know them. */
export class Directory {
  readonly #open: () => KafkaClient;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  #current: { client: KafkaClient; admin: Promise<Admin> } | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(open: () => KafkaClient, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /**
   * Asks the brokers, in bounded time; one question after the other, for kafkajs fails with a TypeError when two that bring topics new to
   * it meet. A connection that failed is not used again.
   */
  async ask<T>(question: (admin: Admin, cluster: () => Promise<Cluster>) => Promise<T>): Promise<T> {
    const asking = this.#asking.then(() => this.#askNow(question));
    this.#asking = asking.catch(() => undefined);
    return askKafka(this.#clock, settings.askTimeoutMs, asking);
  }

  async #askNow<T>(question: (admin: Admin, cluster: () => Promise<Cluster>) => Promise<T>): Promise<T> {
    const current = (this.#current ??= this.#connect());
    try {
      return await askKafka(
        this.#clock,
        settings.askTimeoutMs,
        current.admin.then((admin) => question(admin, () => current.client.cluster())),
      );
    } catch (error) {
      if (error instanceof EventLogError && error.retriable) this.#drop(current);
      throw error;
    }
  }

  /** How many partitions the topic has; believed for some seconds. */
  async partitions(topic: string): Promise<number> {
    const known = this.#counts.get(topic);
    if (known !== undefined && this.#clock.monotonic() < known.until) return known.partitions;
    return this.countPartitions(topic);
  }

  /** The same, asked now. */
  async countPartitions(topic: string): Promise<number> {
    const metadata = await this.ask((admin) => admin.fetchTopicMetadata({ topics: [topic] })).catch((error: unknown) => {
      this.#counts.delete(topic);
      throw named(error, topic);
    });
    const partitions = metadata.topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
    this.#counts.set(topic, { partitions, until: this.#clock.monotonic() + settings.metadataMaxAgeMs });
    return partitions;
  }

  /** What each partition of the topic holds, by its number. */
  async extents(topic: string): Promise<Map<number, Extent>> {
    const offsets = await this.ask((admin) => admin.fetchTopicOffsets(topic)).catch((error: unknown) => {
      throw named(error, topic);
    });
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]));
  }

  /** The first offset of each partition of these topics, in one request for each broker: kafkajs's own call asks topic by topic. */
  async firstOffsets(topics: readonly string[]): Promise<Map<string, Map<number, bigint>>> {
    const found = await this.ask(async (_, connect) => {
      const cluster = await connect();
      await cluster.addMultipleTargetTopics([...topics]);
      await cluster.refreshMetadataIfNecessary();
      const partitions = (topic: string) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }));
      return cluster.fetchTopicsOffset(topics.map((topic) => ({ topic, partitions: partitions(topic), fromBeginning: true })));
    });
    return new Map(
      found.map(({ topic, partitions }) => [topic, new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]))]),
    );
  }

  /** Commits for a group that has no members, as Kafka's own tools do. */
  async resume(gaps: readonly LogGap[]): Promise<void> {
    for (const [group, ofGroup] of Map.groupBy(gaps, (gap) => gap.group)) {
      const topics = [...Map.groupBy(ofGroup, ({ topic }) => topic)].map(([topic, of]) => ({
        topic,
        partitions: of.map(({ partition, available }) => ({ partition, offset: String(available) })),
      }));
      await this.ask(async (_, connect) => {
        const coordinator = await (await connect()).findGroupCoordinator({ groupId: group });
        await coordinator.offsetCommit({ groupId: group, groupGenerationId: -1, memberId: '', topics });
      }).catch((error: unknown) => {
        if (!isGroupChange(error)) throw error;
        throw new EventLogError('GROUP_ACTIVE', `${group} has members; stop its service first`, { cause: error });
      });
    }
  }

  /** What the group has committed, by topic and partition; of all its topics when none are named. */
  async committed(group: string, topics?: readonly string[]): Promise<Map<string, Map<number, bigint>>> {
    const offsets = await this.ask((admin) =>
      admin.fetchOffsets({ groupId: group, ...(topics === undefined ? {} : { topics: [...topics] }) }),
    );
    const known = offsets.map(({ topic, partitions }): [string, Map<number, bigint>] => [
      topic,
      new Map(partitions.filter(({ offset }) => !offset.startsWith('-')).map(({ partition, offset }) => [partition, BigInt(offset)])),
    ]);
    return new Map(known);
  }

  /** A topic that the group has read a part of counts as a whole: what was never committed is yet to be read. */
  async lag(group: string): Promise<PartitionLag[]> {
    const committed = await this.committed(group);
    const lags = await Promise.all(
      [...committed].map(async ([topic, offsets]) => lagsOf(group, topic, offsets, await this.extents(topic))),
    );
    return lags.flat().sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition));
  }

  close(): void {
    const current = this.#current;
    if (current !== undefined) this.#drop(current);
  }

  #connect(): { client: KafkaClient; admin: Promise<Admin> } {
    const client = this.#open();
    const admin = client.kafka.admin();
    return { client, admin: admin.connect().then(() => admin) };
  }

  #drop(current: { client: KafkaClient; admin: Promise<Admin> }): void {
    if (this.#current === current) this.#current = undefined;
    current.client.cut();
    current.admin.catch(() => undefined);
  }
}

/** What of a topic is yet to be read, for each of its partitions. */
export function lagsOf(
  group: string,
  topic: string,
  committed: ReadonlyMap<number, bigint>,
  extents: ReadonlyMap<number, Extent> = new Map(),
): PartitionLag[] {
  return [...extents].map(([partition, { low, high }]) => {
    const from = committed.get(partition) ?? low;
    const lag = from >= high ? 0n : high - (from > low ? from : low);
    return { topic, partition, lag, end: high, ...gapOf(group, topic, partition, from, low) };
  });
}

function named(error: unknown, topic: string): unknown {
  if (!hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return error;
  return new EventLogError('UNKNOWN_TOPIC', `there is no topic ${topic}`, { cause: error });
}
