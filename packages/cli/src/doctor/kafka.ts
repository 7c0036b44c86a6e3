import { systemClock } from '@weir/clock';
import { deadLetterTopic, topicSpecs, topics } from '@weir/contracts';
import type { GroupState, KafkaSurvey, TopicState } from '@weir/event-log/kafka';
import { type KafkaTier, kafkaTier, surveyRegistry } from '@weir/service-kit';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { wantedTopics } from '../topics/topic-configs.ts';
import { deadLetters } from './dead-letters.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';
import { gapFindings } from './gaps.ts';
import { listed, standingStill } from './lag.ts';

/** Consumer groups of the services. */
export const consumerGroups = [
  'audit-writer',
  'console',
  'decision',
  'deposit-ingest',
  'scoring',
  'withdrawal-gate',
  'withdrawal-gate.decisions',
];

/** Examines Kafka and the schema registry without changes; nothing when none is configured. */
export async function examineKafka(settings: AllSettings): Promise<Finding[]> {
  const tier = kafkaTier(settings);
  if (tier === undefined) return [];
  const { kafka, registry } = tier;
  const { openKafkaSurvey } = await import('@weir/event-log/kafka');
  const survey = openKafkaSurvey({ connection: kafka, clock: systemClock });
  const groups = settings.webhookUrl === '' ? consumerGroups : [...consumerGroups, 'webhooks'];
  const inKafka = examineBrokers(survey, groups).catch((error: unknown) => [wrong('kafka', lineOf(error))]);
  const inRegistry = examineRegistry(registry).catch((error: unknown) => wrong('registry', lineOf(error)));
  try {
    return [...(await inKafka), await inRegistry];
  } finally {
    survey.close();
  }
}

async function examineBrokers(survey: KafkaSurvey, groups: readonly string[]): Promise<Finding[]> {
  const brokers = await survey.brokers();
  const found: TopicState[] = [];
  for (const { name } of topicSpecs) found.push(await survey.topic(name));
  const reached = ok('kafka', `${brokers} broker${brokers === 1 ? '' : 's'}`);
  if (found.every(({ partitions }) => partitions === 0)) return [reached, wrong('topics', 'there are none; run "weir topics apply"')];
  const dead = [];
  for (const name of topics.map(deadLetterTopic)) dead.push({ name, count: await survey.held(name) });
  return [reached, ...examineTopics(found), ...(await examineGroups(survey, groups)), deadLetters(dead)];
}

function examineTopics(found: readonly TopicState[]): Finding[] {
  const faults = found.flatMap((topic) => [differenceOf(topic), problemOf(topic)]).filter((each) => each !== undefined);
  return faults.length > 0 ? faults : [ok('topics', `${found.length} as the contracts say, every copy up to date`)];
}

/** Differences that "weir topics apply" would repair. */
function differenceOf(topic: TopicState): Finding | undefined {
  const { name, partitions, copies, config } = topic;
  if (partitions === 0) return wrong('topics', `${name} is missing; run "weir topics apply"`);
  // All replicas but one, so that a broker can restart.
  const replication = { factor: copies, minInsync: Math.max(1, copies - 1) };
  const [wanted] = wantedTopics(
    topicSpecs.filter((spec) => spec.name === name),
    replication,
  );
  const differing = Object.entries(wanted?.config ?? {}).flatMap(([key, to]) => {
    const is = config.get(key) ?? 'unset';
    return is === to ? [] : [`${key} is ${is}, not ${to}`];
  });
  if (partitions < (wanted?.partitions ?? 0)) differing.unshift(`${partitions} of ${wanted?.partitions} partitions`);
  return differing.length === 0 ? undefined : wrong('topics', `${name}: ${differing.join(', ')}; "weir topics apply" sets it right`);
}

/** Replication problems of a topic. */
function problemOf({ name, partitions, leaderless, copies, inSync, config }: TopicState): Finding | undefined {
  if (partitions === 0) return undefined;
  if (leaderless > 0)
    return wrong('topics', `${name}: ${leaderless} of ${partitions} partitions have no leader; check the brokers that are unreachable`);
  const least = Number(config.get('min.insync.replicas') ?? 1);
  const said = `${name}: ${inSync} of ${copies} copies are up to date`;
  if (inSync < least)
    return wrong('topics', `${said} and ${least} are asked for, so nothing can be written; check the brokers that are unreachable`);
  return inSync < copies ? remark('topics', `${said}; check the brokers that are unreachable or slow`) : undefined;
}

async function examineGroups(survey: KafkaSurvey, groups: readonly string[]): Promise<Finding[]> {
  const look = (): Promise<GroupState[]> => survey.groups(groups);
  const first = await look();
  return [await examineLag(first, look), ...gapFindings(first.flatMap(({ gaps }) => gaps))];
}

async function examineLag(first: readonly GroupState[], look: () => Promise<GroupState[]>): Promise<Finding> {
  const behind = first.filter(({ lag }) => lag > 0n);
  const idle = first.filter(({ members }) => members === 0);
  if (idle.length === first.length)
    return remark('consumers', behind.length === 0 ? 'no service runs' : `no service runs; still to be read: ${listed(behind)}`);
  if (idle.length > 0)
    return wrong('consumers', `nobody reads for ${listed(idle)}; start ${idle.length === 1 ? 'that service' : 'those services'}`);
  const still = await standingStill(behind, look, systemClock);
  if (still.length > 0) return wrong('consumers', `stand still with records to read: ${listed(still)}; see their logs`);
  return ok('consumers', behind.length === 0 ? `${first.length} groups, nothing left to read` : `being read: ${listed(behind)}`);
}

async function examineRegistry(connection: KafkaTier['registry']): Promise<Finding> {
  const subjects = await surveyRegistry(connection);
  const missing = subjects.filter(({ isRegistered }) => !isRegistered);
  // An unregistered subject gets its compatibility with its first schema.
  const loose = subjects.filter(({ isRegistered, compatibility }) => isRegistered && compatibility !== 'FULL_TRANSITIVE');
  if (loose.length > 0) {
    const said = loose.map(({ subject, compatibility }) => `${subject} (${compatibility})`).join(', ');
    return wrong('registry', `these would take an incompatible schema: ${said}; set their compatibility to FULL_TRANSITIVE`);
  }
  if (missing.length === 0) return ok('registry', `${subjects.length} schemas, FULL_TRANSITIVE`);
  return remark(
    'registry',
    `not registered yet: ${missing.map(({ topic }) => topic).join(', ')}; "weir topics apply" or the next start does`,
  );
}
