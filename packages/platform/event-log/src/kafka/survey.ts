import type { Clock } from '@weir/clock';
import kafkajs, { type Admin } from 'kafkajs';
import { openClient } from './client.ts';
import { Directory, lagsOf, readUpTo } from './directory.ts';
import { hasType } from './errors.ts';
import type { LogGap } from '../port.ts';
import type { KafkaConnection } from './security.ts';

export interface TopicState {
  readonly name: string;
  /** 0: the topic does not exist. */
  readonly partitions: number;
  readonly leaderless: number;
  /** The fewest replicas and the fewest in-sync replicas of any partition. */
  readonly copies: number;
  readonly inSync: number;
  /** By Kafka's names, such as `retention.ms`. */
  readonly config: ReadonlyMap<string, string>;
}

export interface GroupState {
  readonly name: string;
  readonly members: number;
  /** Unread records of the topics that it has read. */
  readonly lag: bigint;
  /** The sum of its committed offsets, which grows with progress. */
  readonly committed: bigint;
  readonly gaps: readonly LogGap[];
}

/** Inspects a Kafka and changes nothing. Rejects with `EventLogError` within some seconds. */
export interface KafkaSurvey {
  brokers(): Promise<number>;
  topic(name: string): Promise<TopicState>;
  /** In the given order. An unknown group has no members and no offsets. */
  groups(names: readonly string[]): Promise<GroupState[]>;
  /** Records in the topic; 0 if it does not exist. */
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

/** One request per topic, however many groups read it. */
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
