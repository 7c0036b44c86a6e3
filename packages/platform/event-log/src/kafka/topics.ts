import type { Clock } from '@weir/clock';
import type { ITopicConfig } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import type { TopicSpec } from '../port.ts';
import { checkTopics } from '../topic-spec.ts';
import type { Directory } from './directory.ts';
import { hasType } from './errors.ts';
import { settings } from './settings.ts';

export interface KafkaTopicSpec extends TopicSpec {
  /** Default: the broker's. */
  readonly replicationFactor?: number;
  /** Kafka's names and values, such as `retention.ms`, for new topics only. */
  readonly config?: Readonly<Record<string, string>>;
}

/** Creates missing topics and adds partitions. Resolves when each topic is writable. */
export async function createTopics(directory: Directory, clock: Clock, specs: readonly KafkaTopicSpec[]): Promise<void> {
  checkTopics(specs);
  const found = await Promise.all(specs.map((spec) => countOrNone(directory, spec.name)));
  const missing = specs.filter((_, at) => found[at] === 0);
  const short = specs.filter((spec, at) => found[at] !== 0 && (found[at] ?? 0) < spec.partitions);
  if (missing.length > 0) {
    await directory
      .ask((admin) => admin.createTopics({ topics: missing.map(topicConfig), waitForLeaders: false }))
      .catch((error: unknown) => {
        // Another process was quicker.
        if (!hasType(error, 'TOPIC_ALREADY_EXISTS')) throw error;
      });
  }
  for (const { name, partitions } of short) {
    await directory
      .ask((admin) => admin.createPartitions({ topicPartitions: [{ topic: name, count: partitions }] }))
      .catch((error: unknown) => {
        if (!hasType(error, 'INVALID_PARTITIONS')) throw error;
      });
  }
  for (const { name, partitions } of [...missing, ...short]) await untilThere(directory, clock, name, partitions);
}

function topicConfig({ name, partitions, replicationFactor, config = {} }: KafkaTopicSpec): ITopicConfig {
  return {
    topic: name,
    numPartitions: partitions,
    // -1: the broker's default.
    replicationFactor: replicationFactor ?? -1,
    configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
  };
}

export async function countOrNone(directory: Directory, name: string): Promise<number> {
  return directory.countPartitions(name).catch((error: unknown) => {
    if (error instanceof EventLogError && error.code === 'UNKNOWN_TOPIC') return 0;
    throw error;
  });
}

/** Brokers learn of the controller's change a moment later, and each partition needs a leader. */
async function untilThere(directory: Directory, clock: Clock, name: string, partitions: number): Promise<void> {
  const end = clock.monotonic() + settings.askTimeoutMs;
  for (;;) {
    const there = (await countOrNone(directory, name)) >= partitions;
    if (there && (await directory.extents(name).catch(() => undefined)) !== undefined) return;
    if (clock.monotonic() > end) throw new EventLogError('LOG_UNAVAILABLE', `Kafka has made ${name}, but it cannot be used yet`);
    await clock.sleep(50);
  }
}
