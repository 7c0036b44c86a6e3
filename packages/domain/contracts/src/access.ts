import { deadLetterTopic, type Topic, topicSpecs, topics } from './topics.ts';

/** The Kafka principals: each service, and the operator's command line. */
export type KafkaUser =
  | 'deposit-ingest'
  | 'withdrawal-gate'
  | 'scoring'
  | 'decision'
  | 'audit-writer'
  | 'console'
  | 'chain-follower'
  | 'operator';

interface TopicAccess {
  readonly reads: readonly Topic[];
  /** Read outside any group, so without dead letters. */
  readonly streams?: readonly Topic[];
  /** Whether it reads the dead letters of every topic, outside any group. */
  readonly readsDeadLetters?: true;
  readonly writes: readonly Topic[];
  readonly groups: readonly string[];
}

/** A service that reads a topic in a group also writes its dead letters. */
const services: Readonly<Record<Exclude<KafkaUser, 'audit-writer' | 'operator'>, TopicAccess>> = {
  'deposit-ingest': {
    reads: ['deposits.detected'],
    writes: ['deposits.detected', 'screenings.requested'],
    groups: ['deposit-ingest'],
  },
  'withdrawal-gate': {
    reads: ['withdrawals.requested', 'screenings.decided'],
    writes: ['withdrawals.requested', 'screenings.requested'],
    groups: ['withdrawal-gate', 'withdrawal-gate.decisions'],
  },
  scoring: {
    reads: ['screenings.requested'],
    writes: ['screenings.scored', 'screenings.requested', 'labels.changed'],
    groups: ['scoring'],
  },
  decision: {
    reads: ['screenings.requested', 'screenings.scored', 'reviews.resolved'],
    writes: ['screenings.decided'],
    groups: ['decision'],
  },
  console: {
    reads: ['screenings.requested', 'screenings.scored', 'screenings.decided'],
    streams: ['reviews.resolved', 'activities.recorded'],
    readsDeadLetters: true,
    writes: ['reviews.resolved', 'activities.recorded'],
    groups: ['console', 'webhooks'],
  },
  'chain-follower': { reads: [], writes: ['deposits.detected'], groups: [] },
};

/** Consumer groups of the services. */
export const consumerGroups: readonly string[] = [...Object.values(services).flatMap(({ groups }) => groups), 'audit-writer'];

/** Services that may write to the topic. */
export function writersOf(topic: string): readonly string[] {
  return Object.entries(services).flatMap(([name, { writes }]) => (writes.some((each) => each === topic) ? [name] : []));
}

export interface TopicAcl {
  readonly user: KafkaUser;
  readonly resource: 'topic' | 'group' | 'cluster';
  /** `*`: all. */
  readonly name: string;
  readonly operation: 'READ' | 'WRITE' | 'DELETE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';
}

/** Every ACL; Kafka denies the rest. READ and WRITE on a topic imply DESCRIBE. */
export const topicAcls: readonly TopicAcl[] = [
  ...Object.entries(services).flatMap(([user, access]) => serviceAcls(user as KafkaUser, access)),
  ...describeAll('audit-writer'),
  ...topicSpecs.map(({ name }): TopicAcl => ({ user: 'audit-writer', resource: 'topic', name, operation: 'READ' })),
  { user: 'audit-writer', resource: 'group', name: 'audit-writer', operation: 'READ' },
  ...operatorAcls(),
];

function serviceAcls(user: KafkaUser, { reads, streams = [], readsDeadLetters, writes, groups }: TopicAccess): TopicAcl[] {
  const deadLetters = readsDeadLetters ? topics.map(deadLetterTopic) : [];
  return [
    ...describeAll(user),
    ...[...reads, ...streams, ...deadLetters].map((name): TopicAcl => ({ user, resource: 'topic', name, operation: 'READ' })),
    ...[...writes, ...reads.map(deadLetterTopic)].map((name): TopicAcl => ({ user, resource: 'topic', name, operation: 'WRITE' })),
    ...groups.map((name): TopicAcl => ({ user, resource: 'group', name, operation: 'READ' })),
  ];
}

/** A service checks at start that all topics exist. */
function describeAll(user: KafkaUser): TopicAcl[] {
  return topicSpecs.map(({ name }) => ({ user, resource: 'topic', name, operation: 'DESCRIBE' }));
}

/**
 * `weir doctor` reads everything; `weir dlq replay` and `weir topics rebuild` write; `weir topics resume` moves a group; `weir webhooks off`
 * deletes one; `weir topics acls --dry-run` reads the ACLs.
 */
function operatorAcls(): TopicAcl[] {
  const user = 'operator';
  return [
    ...topicSpecs.flatMap(({ name }): TopicAcl[] => [
      { user, resource: 'topic', name, operation: 'READ' },
      { user, resource: 'topic', name, operation: 'DESCRIBE_CONFIGS' },
    ]),
    ...topics.map((name): TopicAcl => ({ user, resource: 'topic', name, operation: 'WRITE' })),
    { user, resource: 'group', name: '*', operation: 'READ' },
    { user, resource: 'group', name: 'webhooks', operation: 'DELETE' },
    // Kafka's name of the one cluster.
    { user, resource: 'cluster', name: 'kafka-cluster', operation: 'DESCRIBE' },
  ];
}
