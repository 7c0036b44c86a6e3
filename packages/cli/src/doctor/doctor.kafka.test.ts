import { systemClock } from '@weir/clock';
import { type EventLog } from '@weir/event-log';
import { applyTopics, openKafkaLog } from '@weir/event-log/kafka';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../../../../test/support/stack/installation.ts';
import { startKafka, type TestKafka } from '../../../../test/support/stack/kafka.ts';
import { startRegistry, type TestRegistry } from '../../../../test/support/stack/registry.ts';
import { weir } from '../testing/weir.ts';
import type { Finding } from './finding.ts';

let kafka: TestKafka;
let registry: TestRegistry;
let installation: Installation;
let log: EventLog;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  // Own containers: the test changes and kills them.
  [kafka, registry] = await Promise.all([startKafka(), startRegistry()]);
  env = { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: registry.url };
  installation = await makeInstallation({ env });
  log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
});
afterAll(async () => {
  await installation.remove();
  await log.close();
  await Promise.all([kafka.stop(), registry.stop()]);
});

const about = ['kafka', 'topics', 'consumers', 'dead letters', 'registry'];

/** Findings about Kafka and the registry, as `check state: detail`, and the exit code. */
async function examine(): Promise<{ code: number | null; found: string[] }> {
  const { code, stdout } = await weir(['doctor', '--json', '--data-dir', installation.dataDir], { env });
  const checks = (JSON.parse(stdout) as { checks: Finding[] }).checks.filter(({ check }) => about.includes(check));
  return { code, found: checks.map(({ check, state, detail }) => `${check} ${state}: ${detail}`) };
}

const publish = (topic: string, count: number): Promise<void> =>
  log.publish(Array.from({ length: count }, (_, i) => ({ topic, key: String(i), value: Buffer.from('x'), headers: {} })));

async function applyRetention(retentionMs: string): Promise<void> {
  const topic = { name: 'screenings.scored', partitions: 4, config: { 'retention.ms': retentionMs } };
  const connection = { brokers: [kafka.brokers] };
  await applyTopics(() => [topic], { connection, clock: systemClock, replicationFactor: 1, dryRun: false });
}

test('before "weir topics apply" it says that there are no topics, and that schemas are to come', async () => {
  const { code, found } = await examine();
  expect(code).toBe(1);
  expect(found).toEqual([
    'kafka ok: 1 broker',
    'topics wrong: there are none; run "weir topics apply"',
    expect.stringMatching(/^registry note: not registered yet: deposits\.detected, .*"weir topics apply" or the next start does$/),
  ]);
});

test('all is well once they are there, and while nothing runs that is said', async () => {
  await weir(['topics', 'apply'], { env });
  expect(await examine()).toEqual({
    code: 0,
    found: [
      'kafka ok: 1 broker',
      'topics ok: 16 as the contracts say, every copy up to date',
      'consumers note: no service runs',
      'dead letters ok: none',
      'registry ok: 8 schemas, FULL_TRANSITIVE',
    ],
  });
});

test('of a system that runs every group is there', async () => {
  await installation.start();
  const { found } = await examine();
  expect(found).toContainEqual(expect.stringMatching(/^consumers ok: (7 groups, nothing left to read|being read: .*)$/));
});

test('dead letters are counted, and a topic or a subject that was changed is named with what to do', async () => {
  await publish('deposits.detected.dlq', 3);
  await applyRetention('1000');
  const subject = `${registry.url}/config/screenings.scored-value`;
  const body = JSON.stringify({ compatibility: 'NONE' });
  await fetch(subject, { method: 'PUT', body, headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' } });
  const { code, found } = await examine();
  expect(code).toBe(1);
  expect(found).toContain('dead letters note: deposits.detected 3; "weir dlq list" shows them');
  expect(found).toContain('topics wrong: screenings.scored: retention.ms is 1000, not 604800000; "weir topics apply" sets it right');
  expect(found).toContain(
    'registry wrong: these would take an incompatible schema: screenings.scored-value (NONE); set their compatibility to FULL_TRANSITIVE',
  );
  await weir(['topics', 'apply'], { env });
  expect((await examine()).found).toContain('topics ok: 16 as the contracts say, every copy up to date');
});

test('what is left to read is counted for each group; one that nobody reads for is wrong when others run, one that stands still too', async () => {
  await installation.kill('weir');
  await publish('deposits.detected', 3);
  // The group keeps a killed member until its session times out.
  await vi.waitFor(
    async () =>
      expect((await examine()).found).toContainEqual(
        expect.stringMatching(/^consumers note: no service runs; still to be read: audit-writer 3, .*deposit-ingest 3/),
      ),
    { timeout: 40_000, interval: 500 },
  );
  const held = Promise.withResolvers<void>();
  const subscribe = (group: string) =>
    log.subscribe({ group, topics: ['deposits.detected'], maxInFlight: 10, maxBatch: 1, handle: () => held.promise });
  await subscribe('deposit-ingest');
  const alone = await examine();
  expect(alone.code).toBe(1);
  expect(alone.found).toContainEqual(expect.stringMatching(/^consumers wrong: nobody reads for audit-writer 3, .*; start those services$/));
  for (const group of ['audit-writer', 'console', 'decision', 'scoring', 'withdrawal-gate', 'withdrawal-gate.decisions'])
    await subscribe(group);
  const still = await examine();
  expect(still.found).toContainEqual(
    expect.stringMatching(/^consumers wrong: stand still with records to read: .*deposit-ingest 3.*; see their logs$/),
  );
  held.resolve();
});

test('brokers and a registry that are away are told, each by itself', async () => {
  await kafka.kill();
  const withoutKafka = await examine();
  expect(withoutKafka.code).toBe(1);
  expect(withoutKafka.found[0]).toMatch(/^kafka wrong: Kafka (cannot be reached|did not answer in time)$/);
  expect(withoutKafka.found[1]).toMatch(/^registry wrong: these would take/);
  await registry.kill();
  expect((await examine()).found).toContain('registry wrong: the schema registry of SCHEMA_REGISTRY_URL cannot be reached');
});
