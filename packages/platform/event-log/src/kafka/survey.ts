import type { Clock } from '@weir/clock';
import kafkajs, { type Admin } from 'kafkajs';
import { openClient } from './client.ts';
import { Directory, lagsOf, readUpTo } from './directory.ts';
import { hasType } from './errors.ts';
import type { LogGap } from '../port.ts';
import type { KafkaConnection } from './security.ts';

/** A topic as it is. */
export interface TopicState {
  readonly name: string;
  /** 0: there is no such topic. */
  readonly partitions: number;
  /** Partitions that nobody can write to or read from. */
  readonly leaderless: number;
  /** Copies of the partition that has fewest, and how many of them are up to date where that is fewest. */
  readonly copies: number;
  readonly inSync: number;
  /** By Kafka's own names, such as `retention.ms`. */
  readonly config: ReadonlyMap<string, string>;
}

/** How far a group of consumers is. */
export interface GroupState {
  readonly name: string;
  /** Processes that read. */
  readonly members: number;
  /** Records that it has yet to read, of the topics that it has read of. */
  readonly lag: bigint;
  /** The sum of its offsets: it grows while the group gets on. */
  readonly committed: bigint;
  /** The partitions that it has stopped reading. */
  readonly gaps: readonly LogGap[];
}

/** Looks at a Kafka and changes nothing. Failures are `EventLogError`, each within some seconds. */
export interface KafkaSurvey {
  brokers(): Promise<number>;
  topic(name: string): Promise<TopicState>;
  /** In the order of their names as given; a group that nobody knows has no members and has read nothing. */
  groups(names: readonly string[]): Promise<GroupState[]>;
  /** Records that the topic holds; 0 when there is no such topic. */
  held(topic: string): Promise<bigint>;
  close(): void;
}

export function openKafkaSurvey(options: { connection: KafkaConnection; clock: Clock }): KafkaSurvey {
  const directory = new Directory(() => openClient(options), options.clock);
  return {
    brokers: async () => (await directory.ask((admin) => admin.describeCluster())).brokers.length,
    topic: (name) => topicState(directory, name),
    groups: (names) => groupStates(directory, names),
    held: async (topic) => {
      if ((await partitionsOf(directory, topic)).length === 0) return 0n;
      return [...(await directory.extents(topic)).values()].reduce((sum, { low, high }) => sum + high - low, 0n);
    },
    close: () => directory.close(),
  };
}

type Partitions = Awaited<ReturnType<Admin['fetchTopicMetadata']>>['topics'][number]['partitions'];

async function partitionsOf(directory: Directory, name: string): Promise<Partitions> {
  const asked = directory.ask((admin) => admin.fetchTopicMetadata({ topics: [name] }));
  const { topics } = await asked.catch((error: unknown) => {
    if (hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return { topics: [] };
    throw error;
  });
  return topics.find((topic) => topic.name === name)?.partitions ?? [];
}

async function topicState(directory: Directory, name: string): Promise<TopicState> {
  const partitions = await partitionsOf(directory, name);
  if (partitions.length === 0) return { name, partitions: 0, leaderless: 0, copies: 0, inSync: 0, config: new Map() };
  const { resources } = await directory.ask((admin) =>
    admin.describeConfigs({ includeSynonyms: false, resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }] }),
  );
  const entries = resources[0]?.configEntries ?? [];
  return {
    name,
    partitions: partitions.length,
    leaderless: partitions.filter(({ leader }) => leader < 0).length,
    copies: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    inSync: Math.min(...partitions.map(({ isr }) => isr.length)),
    config: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
  };
}

/** Each topic is asked once, however many groups read it. */
async function groupStates(directory: Directory, names: readonly string[]): Promise<GroupState[]> {
  const { groups } = await directory.ask((admin) => admin.describeGroups([...names]));
  const committed = new Map<string, Awaited<ReturnType<Directory['committed']>>>();
  for (const name of names) committed.set(name, await directory.committed(name));
  const topics = new Set([...committed.values()].flatMap((of) => [...of.keys()]));
  const extents = new Map<string, Awaited<ReturnType<Directory['extents']>>>();
  for (const topic of topics) extents.set(topic, await directory.extents(topic));
  return names.map((name) => {
    const read = [...(committed.get(name) ?? [])];
    const lags = read.flatMap(([topic, offsets]) => lagsOf(name, topic, offsets, extents.get(topic)));
    return {
      name,
      members: groups.find(({ groupId }) => groupId === name)?.members.length ?? 0,
      lag: sum(lags.map(({ lag }) => lag)),
      gaps: lags.flatMap(({ gap }) => gap ?? []),
      committed: sum(read.flatMap(([, offsets]) => [...offsets.values()].map(readUpTo))),
    };
  });
}

const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n);
