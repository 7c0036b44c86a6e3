import type { Clock } from '@weir/clock';
import kafkajs, { type Admin, type ConfigEntries } from 'kafkajs';
import { checkTopics } from '../topic-spec.ts';
import { openClient } from './client.ts';
import { Directory } from './directory.ts';
import type { KafkaConnection } from './security.ts';
import { countOrNone, createTopics, type KafkaTopicSpec } from './topics.ts';

/** A topic's desired state. `config` uses Kafka's names and values, such as `retention.ms`. */
export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicChange {
  readonly topic: string;
  readonly action: 'create' | 'change' | 'none';
  readonly partitions: { readonly from: number; readonly to: number };
  readonly config: readonly { readonly name: string; readonly from: string; readonly to: string }[];
}

export interface ApplyOptions {
  readonly connection: KafkaConnection;
  readonly clock: Clock;
  /** At most the number of brokers. */
  readonly replicationFactor: number;
  readonly dryRun: boolean;
}

/** The replication factor and `min.insync.replicas` of a topic. */
export interface Replication {
  readonly factor: number;
  readonly minInsync: number;
}

/**
 * Creates topics, adds partitions and sets configuration; removes nothing. `wanted` receives the replication of a topic, of a new one what the
 * brokers that are there allow.
 */
export async function applyTopics(
  wanted: (replication: Replication) => readonly WantedTopic[],
  options: ApplyOptions,
): Promise<TopicChange[]> {
  const { connection, clock, dryRun } = options;
  const directory = new Directory(() => openClient({ connection, clock }), clock);
  try {
    const { brokers } = await directory.ask((admin) => admin.describeCluster());
    const factor = Math.min(options.replicationFactor, brokers.length);
    const fresh = wanted(replicationOf(factor));
    // A topic keeps its replicas, also while one of their brokers is away.
    const copies = await Promise.all(fresh.map(({ name }) => copiesOf(directory, name)));
    const topics = fresh.map((topic, at) => wanted(replicationOf(copies[at] || factor)).find(({ name }) => name === topic.name) ?? topic);
    checkTopics(topics);
    const changes: TopicChange[] = [];
    for (const topic of topics) changes.push(await compare(directory, topic));
    if (!dryRun) await carryOut(directory, clock, topics, changes, factor);
    return changes;
  } finally {
    directory.close();
  }
}

/** All replicas but one acknowledge a record, so one broker may restart without an outage. */
function replicationOf(factor: number): Replication {
  return { factor, minInsync: Math.max(1, factor - 1) };
}

/** The fewest replicas of a partition; 0: there is no such topic. */
async function copiesOf(directory: Directory, topic: string): Promise<number> {
  if ((await countOrNone(directory, topic)) === 0) return 0;
  const { topics } = await directory.ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  return Math.min(...(topics[0]?.partitions ?? []).map(({ replicas }) => replicas.length));
}

async function compare(directory: Directory, { name, partitions, config }: WantedTopic): Promise<TopicChange> {
  const found = await countOrNone(directory, name);
  if (found === 0) {
    const all = Object.entries(config).map(([key, to]) => ({ name: key, from: '', to }));
    return { topic: name, action: 'create', partitions: { from: 0, to: partitions }, config: all };
  }
  const entries = await directory.ask((admin) => describe(admin, name));
  const differing = Object.entries(config).flatMap(([key, to]) => {
    const from = entries.find((entry) => entry.configName === key)?.configValue ?? '';
    return from === to ? [] : [{ name: key, from, to }];
  });
  const action = differing.length > 0 || found < partitions ? 'change' : 'none';
  return { topic: name, action, partitions: { from: found, to: Math.max(found, partitions) }, config: differing };
}

async function carryOut(
  directory: Directory,
  clock: Clock,
  topics: readonly WantedTopic[],
  changes: readonly TopicChange[],
  replicationFactor: number,
): Promise<void> {
  const toDo = topics.filter((_, at) => changes[at]?.action !== 'none');
  await createTopics(
    directory,
    clock,
    toDo.map((topic): KafkaTopicSpec => ({ ...topic, replicationFactor })),
  );
  for (const [at, { name, config }] of topics.entries()) {
    const change = changes[at];
    if (change?.action === 'change' && change.config.length > 0) await directory.ask((admin) => configure(admin, name, config));
  }
}

async function describe(admin: Admin, topic: string): Promise<ConfigEntries[]> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  });
  return resources[0]?.configEntries ?? [];
}

/** kafkajs only has the request that resets every unnamed setting, so existing values go along. */
async function configure(admin: Admin, topic: string, config: Readonly<Record<string, string>>): Promise<void> {
  const entries = await describe(admin, topic);
  const before = entries.filter(({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG);
  const all = { ...Object.fromEntries(before.map(({ configName, configValue }) => [configName, configValue])), ...config };
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: Object.entries(all).map(([name, value]) => ({ name, value })),
      },
    ],
  });
}
