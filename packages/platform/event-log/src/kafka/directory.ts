import type { Clock } from '@weir/clock';
import type { Admin, Cluster } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { gapOf } from '../gap.ts';
import type { LogGap, PartitionLag, TopicPartition } from '../port.ts';
import type { KafkaClient } from './client.ts';
import { askKafka, hasType, isCoordinatorMove, isGroupChange } from './errors.ts';
import { settings } from './settings.ts';

/** A partition's offsets, from `low` to `high` (exclusive). */
export interface Extent {
  readonly low: bigint;
  readonly high: bigint;
}

/** `reset`: kafkajs found no records and overwrote the offset, so the position is unknown. */
type CommittedOffset = bigint | 'reset';

export type CommittedOffsets = Map<string, Map<number, CommittedOffset>>;

/** Error codes of Kafka's protocol. */
const nonEmptyGroup = 68;
const unknownGroup = 69;

interface Count {
  readonly partitions: number;
  /** Monotonic. */
  readonly askedAt: number;
}

export class Directory {
  readonly #open: () => KafkaClient;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  readonly #refreshing = new Set<string>();
  #current: { client: KafkaClient; admin: Promise<Admin> } | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(open: () => KafkaClient, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** One request at a time: kafkajs throws a TypeError when two concurrent ones bring new topics. A failed connection is not reused. */
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
        current.admin.then((admin) => this.#whileCoordinatorMoves(() => question(admin, () => current.client.cluster()))),
      );
    } catch (error) {
      // A missing or denied topic makes kafkajs fail for the others too.
      if (error instanceof EventLogError && (error.retriable || error.code === 'UNKNOWN_TOPIC' || error.code === 'TOPIC_DENIED'))
        this.#drop(current);
      throw error;
    }
  }

  /** Repeats the question until a group's coordinator has loaded, as after the first start of a broker. */
  async #whileCoordinatorMoves<T>(question: () => Promise<T>): Promise<T> {
    // Sooner than the question's own limit, whose error would not give the reason.
    const end = this.#clock.monotonic() + settings.askTimeoutMs / 2;
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (!isCoordinatorMove(error) || this.#clock.monotonic() >= end) throw error;
        await this.#clock.sleep(settings.retry.initialRetryTime);
      }
    }
  }

  /** The number of partitions, at most some seconds old. It is refreshed meanwhile, since other questions to the brokers take their time. */
  async partitions(topic: string): Promise<number> {
    const known = this.#counts.get(topic);
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - known.askedAt;
    if (known === undefined || ageMs >= settings.oldestCountMs) return this.countPartitions(topic);
    if (ageMs >= settings.metadataMaxAgeMs) void this.#refresh(topic);
    return known.partitions;
  }

  /** The number of partitions when it was last asked for. */
  knownPartitions(topic: string): number | undefined {
    return this.#counts.get(topic)?.partitions;
  }

  async #refresh(topic: string): Promise<void> {
    if (this.#refreshing.has(topic)) return;
    this.#refreshing.add(topic);
    // The next publish asks again.
    await this.countPartitions(topic).catch(() => undefined);
    this.#refreshing.delete(topic);
  }

  async countPartitions(topic: string): Promise<number> {
    const askedAt = this.#clock.monotonic();
    const metadata = await this.ask((admin) => admin.fetchTopicMetadata({ topics: [topic] })).catch((error: unknown) => {
      const reason = named(error, topic);
      if (!(reason instanceof EventLogError && reason.retriable)) this.#counts.delete(topic);
      throw reason;
    });
    const partitions = metadata.topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
    this.#counts.set(topic, { partitions, askedAt });
    return partitions;
  }

  async extents(topic: string): Promise<Map<number, Extent>> {
    const offsets = await this.ask((admin) => admin.fetchTopicOffsets(topic)).catch((error: unknown) => {
      throw named(error, topic);
    });
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]));
  }

  async ends(topic: string): Promise<bigint[]> {
    return [...(await this.extents(topic))].toSorted(([a], [b]) => a - b).map(([, { high }]) => high);
  }

  /** The first offset of each partition, one request per broker; kafkajs's own call takes one per topic. */
  async firstOffsets<T extends TopicPartition>(places: readonly T[]): Promise<Map<T, bigint>> {
    const byTopic = Map.groupBy(places, ({ topic }) => topic);
    const found = await this.ask(async (_, connect) => {
      const cluster = await connect();
      await cluster.addMultipleTargetTopics([...byTopic.keys()]);
      const isKnown = ({ topic, partition }: T) =>
        cluster.findTopicPartitionMetadata(topic).some(({ partitionId }) => partitionId === partition);
      await (places.every(isKnown) ? cluster.refreshMetadataIfNecessary() : cluster.refreshMetadata());
      return cluster.fetchTopicsOffset(
        [...byTopic].map(([topic, of]) => ({ topic, partitions: of.map(({ partition }) => ({ partition })), fromBeginning: true })),
      );
    });
    const offsets = new Map(found.flatMap(({ topic, partitions }) => partitions.map((of) => [`${topic}/${of.partition}`, of.offset])));
    return new Map(
      places.map((place) => {
        const offset = offsets.get(`${place.topic}/${place.partition}`);
        if (offset === undefined) throw new EventLogError('LOG_UNAVAILABLE', `no broker knows ${place.topic}/${place.partition}`);
        return [place, BigInt(offset)];
      }),
    );
  }

  /** Commits for a group without members, as Kafka's tools do. */
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

  async forget(group: string): Promise<void> {
    const isActive = await this.ask((admin) =>
      admin.deleteGroups([group]).then(
        () => false,
        (error: { groups?: readonly { errorCode: number }[] }) => {
          const code = error.groups?.[0]?.errorCode;
          if (code === nonEmptyGroup || code === unknownGroup) return code === nonEmptyGroup;
          throw error;
        },
      ),
    );
    if (isActive) throw new EventLogError('GROUP_ACTIVE', `${group} has members; stop its service first`);
  }

  async committed(group: string): Promise<CommittedOffsets> {
    const offsets = await this.ask((admin) => admin.fetchOffsets({ groupId: group }));
    return new Map(
      offsets.map(({ topic, partitions }) => [
        topic,
        new Map(
          partitions.flatMap(({ partition, offset }) => (offset === noOffset ? [] : [[partition, committedOffset(offset)] as const])),
        ),
      ]),
    );
  }

  /** Counts whole topics: a partition without a commit is unread. */
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

const noOffset = '-1';

/** kafkajs commits -2 ("earliest"), and the broker stores it like any offset. */
function committedOffset(offset: string): CommittedOffset {
  return offset.startsWith('-') ? 'reset' : BigInt(offset);
}

/** The position of a reset group is unknown, so everything counts as unread. */
export function readUpTo(committed: CommittedOffset): bigint {
  return committed === 'reset' ? 0n : committed;
}

export function lagsOf(
  group: string,
  topic: string,
  committed: ReadonlyMap<number, CommittedOffset>,
  extents: ReadonlyMap<number, Extent> = new Map(),
): PartitionLag[] {
  return [...extents].map(([partition, { low, high }]) => {
    const from = readUpTo(committed.get(partition) ?? low);
    const lag = from >= high ? 0n : high - (from > low ? from : low);
    return { topic, partition, lag, end: high, ...gapOf(group, topic, partition, from, low) };
  });
}

function named(error: unknown, topic: string): unknown {
  if (!hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return error;
  return new EventLogError('UNKNOWN_TOPIC', `there is no topic ${topic}`, { cause: error });
}
