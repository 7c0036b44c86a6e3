import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { consoleSchema, startConsole } from '@weir/console';
import { deadLetterTopic, type KafkaUser, topicAcls, topics } from '@weir/contracts';
import { scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import type { EventLog } from '@weir/event-log';
import { applyAcls, openKafkaLog } from '@weir/event-log/kafka';
import { type KafkaTier, loadConfig } from '@weir/service-kit';
import { openTestStack, type TestService, type TestStack, publishTo } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { saslUser, startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

const users: readonly KafkaUser[] = [
  'deposit-ingest',
  'withdrawal-gate',
  'scoring',
  'decision',
  'audit-writer',
  'console',
  'chain-follower',
  'operator',
];
const passwords = Object.fromEntries([...users, 'stranger'].map((user) => [user, `password-of-${user}`]));
const registry = { url: process.env[variables.registry] ?? '' };

let kafka: TestKafka;
let stack: TestStack;
const logs = new Map<string, EventLog>();

const tierOf = (user: string, password = passwords[user] ?? ''): KafkaTier => ({
  kafka: { brokers: [kafka.saslBrokers], sasl: { mechanism: 'SCRAM-SHA-512', username: user, password } },
  registry,
});
const env = (): NodeJS.ProcessEnv => ({
  KAFKA_BROKERS: kafka.saslBrokers,
  KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
  KAFKA_SASL_MECHANISM: 'PLAIN',
  KAFKA_SASL_USERNAME: saslUser.username,
  KAFKA_SASL_PASSWORD: saslUser.password,
  SCHEMA_REGISTRY_URL: registry.url,
});
/** The log as this user sees it. */
function logOf(user: string, password?: string): EventLog {
  const key = `${user} ${password}`;
  const log = logs.get(key) ?? openKafkaLog({ connection: tierOf(user, password).kafka, clock: systemClock });
  logs.set(key, log);
  return log;
}

beforeAll(async () => {
  kafka = await startKafka({ users: passwords, properties: unkilled });
  expect(await weir(['topics', 'apply'], { env: env() })).toMatchObject({ code: 0 });
  expect(await weir(['topics', 'acls'], { env: env() })).toMatchObject({ code: 0 });
  // A read of an empty partition needs only permission to describe it.
  const filler = names.flatMap((topic) =>
    Array.from({ length: 40 }, (_, n) => ({ topic, key: String(n), value: Buffer.from('not a record'), headers: {} })),
  );
  const log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
  await log.publish(filler);
  await log.close();
  stack = await openTestStack({ tier: tierOf('operator') });
});
afterAll(async () => {
  await stack.close();
  for (const log of logs.values()) await log.close();
  await kafka.stop();
});

const names = [...topics, ...topics.map(deadLetterTopic)];
// The cluster refuses a user without any topic to write before it checks the topic.
const refused = { code: expect.stringMatching(/^(TOPIC_DENIED|LOG_FAILED)$/), message: expect.stringMatching(/AUTHORIZATION_FAILED/) };
const may = (user: string, operation: string, name: string, resource = 'topic'): boolean =>
  topicAcls.some((acl) => acl.user === user && acl.operation === operation && acl.name === name && acl.resource === resource);

test.each([...users, 'stranger'])(
  '%s writes and reads the topics of its ACLs and no other',
  async (user) => {
    const log = logOf(user);
    for (const topic of names) {
      const record = { topic, key: 'a', value: Buffer.from('not a record'), headers: {} };
      const writing = log.publish([record]);
      if (may(user, 'WRITE', topic)) await expect(writing, `${user} writes ${topic}`).resolves.toBeUndefined();
      else await expect(writing, `${user} writes ${topic}`).rejects.toMatchObject(refused);
      const reading = log.read(topic, 0, 0n, 1);
      if (may(user, 'READ', topic)) await expect(reading, `${user} reads ${topic}`).resolves.toHaveLength(1);
      else await expect(reading, `${user} reads ${topic}`).rejects.toMatchObject(refused);
    }
  },
  300_000,
);

test('a resolution is written by the console alone, and a decision by decision alone; an operator may replay both', () => {
  const writers = (topic: string): string[] =>
    topicAcls.filter(({ operation, name }) => operation === 'WRITE' && name === topic).map(({ user }) => user);
  expect(writers('reviews.resolved')).toEqual(['console', 'operator']);
  expect(writers('screenings.decided')).toEqual(['decision', 'operator']);
  expect(writers('screenings.scored')).toEqual(['scoring', 'operator']);
  expect(writers('activities.recorded')).toEqual(['console', 'operator']);
  expect(writers('labels.changed')).toEqual(['scoring', 'operator']);
});

test('docs/security.md has the table as it is', () => {
  const rows = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8');
  for (const user of users.filter((each) => each !== 'audit-writer' && each !== 'operator')) {
    const named = (operation: string, resource: string): string =>
      topicAcls
        .filter((acl) => acl.user === user && acl.operation === operation && acl.resource === resource)
        .map(({ name }) => `\`${name}\``)
        .join(', ');
    expect(rows).toContain(`| \`${user}\` | ${named('READ', 'topic')} | ${named('WRITE', 'topic')} | ${named('READ', 'group')} |\n`);
  }
});

test('the credentials of another service, a wrong password and another group are refused', async () => {
  await expect(logOf('console', passwords['decision']).partitions('screenings.decided')).rejects.toMatchObject({
    message: 'Kafka refused the credentials',
  });
  await expect(logOf('console').lag('decision')).rejects.toMatchObject({ name: 'EventLogError' });
  await expect(logOf('stranger').partitions('screenings.decided')).rejects.toMatchObject({ code: 'TOPIC_DENIED' });
});

test('weir topics acls changes nothing when it is run again, and takes away what is not in the table', async () => {
  const again = await weir(['topics', 'acls', '--json'], { env: env() });
  expect(JSON.parse(again.stdout)).toEqual({ applied: true, added: [], removed: [] });
  const connection = { brokers: [kafka.brokers] };
  const wanted = topicAcls.map(({ user, ...acl }) => ({ ...acl, principal: `User:${user}` }));
  const extra = { principal: 'User:console', resource: 'topic', name: 'screenings.decided', operation: 'WRITE' } as const;
  await applyAcls([...wanted, extra], { connection, clock: systemClock, dryRun: false });
  const dry = await weir(['topics', 'acls', '--dry-run'], { env: env() });
  expect(dry).toMatchObject({ code: 1, stdout: '- User:console may WRITE topic screenings.decided\n' });
  expect(await weir(['topics', 'acls'], { env: env() })).toMatchObject({ code: 0 });
  await expect(
    logOf('console').publish([{ topic: 'screenings.decided', key: 'a', value: Buffer.from('x'), headers: {} }]),
  ).rejects.toMatchObject(refused);
});

test('commands of the runbooks do with the rights of the operator', async () => {
  const own = {
    ...env(),
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: 'operator',
    KAFKA_SASL_PASSWORD: passwords['operator'] ?? '',
  };
  expect(await weir(['topics', 'acls', '--dry-run'], { env: own })).toMatchObject({ code: 0, stdout: '' });
  expect(await weir(['topics', 'apply', '--dry-run'], { env: own })).toMatchObject({ code: 0 });
  // `weir webhooks off` forgets this group and no other.
  await expect(logOf('operator').forget('webhooks')).resolves.toBeUndefined();
  await expect(logOf('operator').forget('scoring')).rejects.toMatchObject({ name: 'EventLogError' });
});

test('services with only their own credentials bring a result to a decision, a list and the audit log', async () => {
  const start = (user: KafkaUser, begin: Parameters<TestStack['service']>[0]): Promise<TestService> =>
    stack.service(begin, { tier: tierOf(user) });
  await start('decision', (pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  await start('console', (pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {})));
  await start('audit-writer', (pipeline) => startAuditWriter(pipeline, { auditBatch: 250 }));
  const scoring = await stack.pipeline({ tier: tierOf('scoring') });
  await publishTo(scoring, 'screenings.scored', result);
  await vi.waitFor(
    async () => {
      const one = async (sql: string): Promise<unknown> => (await stack.db.pool.query(sql)).rows;
      expect(await one('SELECT action FROM decision.decisions')).toEqual([{ action: 'review' }]);
      expect(await one('SELECT action FROM console.screenings')).toEqual([{ action: 'review' }]);
      expect(await one(`SELECT DISTINCT topic FROM audit.entries WHERE key = 'd-1' ORDER BY 1`)).toEqual([
        { topic: 'screenings.decided' },
        { topic: 'screenings.scored' },
      ]);
    },
    { timeout: 60_000, interval: 200 },
  );
});

const result = scored('d-1', 1, 1, { score: 80, risk_level: 'High' });
