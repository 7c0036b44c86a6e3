import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { type EventLog } from '@weir/event-log';
import { openKafkaLog } from '@weir/event-log/kafka';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { startKafka, type TestKafka } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

let kafka: TestKafka;
let installation: Installation;
let log: EventLog;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  // Its own broker: topic names are fixed, so it would screen records of other tests.
  kafka = await startKafka();
  env = { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
  installation = await makeInstallation({ env });
  log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
});
afterAll(async () => {
  await installation.remove();
  await log.close();
  await kafka.stop();
});

test('a start without topics ends with one line that says how to make them', async () => {
  await expect(installation.start()).rejects.toThrow(
    /ended with 1 while it started:\n.*\nweir: Kafka lacks topics: deposits\.detected, .*; run "weir topics apply"\n$/s,
  );
});

test('weir topics apply makes them as the contracts say, once', async () => {
  const would = await weir(['topics', 'apply', '--dry-run'], { env });
  expect(would).toMatchObject({ code: 1, stderr: '16 topics would be made or changed.\n' });
  expect(would.stdout).toMatch(/^STATE +TOPIC +PARTITIONS +CONFIGURATION\n/);
  expect(would.stdout).toMatch(/^new +deposits\.detected +4 +cleanup\.policy=delete/m);
  await expect(log.partitions('deposits.detected')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
  const made = await weir(['topics', 'apply'], { env });
  expect(made).toMatchObject({ code: 0, stderr: 'Made or changed 16 topics; 8 schemas are registered.\n' });
  expect(await log.partitions('deposits.detected')).toBe(4);
  const again = await weir(['topics', 'apply', '--json'], { env });
  expect(again).toMatchObject({ code: 0, stderr: 'All topics were as they should be; 8 schemas are registered.\n' });
  expect(JSON.parse(again.stdout).changes.map(({ action }: { action: string }) => action)).toEqual(Array(16).fill('none'));
});

async function ask(path: string, role: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${installation.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${installation.token(role)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Posts a deposit and waits for its only decision. */
async function decided(deposit: Record<string, string>, timeout: number): Promise<void> {
  const posted = await ask('/v1/deposits', 'ingest', deposit);
  expect(posted.status).toBe(202);
  const screening = `/v1/screenings/${posted.body.screening_id}`;
  await vi.waitFor(async () => expect((await ask(screening, 'auditor')).body.decisions).toHaveLength(1), { timeout, interval: 100 });
}

test('a posted deposit ends in a decision, by way of Kafka', async () => {
  await installation.start();
  const deposit = {
    deposit_id: 'on-kafka-1',
    coin: 'ETH',
    from_address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
    amount: '1.5',
  };
  await decided(deposit, 30_000);
  const counts = await Promise.all([0, 1, 2, 3].map(async (partition) => (await log.read('screenings.decided', partition, 0n, 10)).length));
  expect(counts.reduce((sum, count) => sum + count)).toBe(1);
  expect((await fetch(`${installation.url}/readyz`)).status).toBe(200);
});

test('a change of labels gets to the audit log by way of Kafka', async () => {
  const place = ['--data-dir', installation.dataDir];
  const folder = mkdtempSync(join(tmpdir(), 'weir-labels-'));
  const file = join(folder, 'list.csv');
  writeFileSync(file, `chain,address,name,category,source\nETH,0x${'7'.repeat(40)},Somebody,scam,our list\n`);
  const imported = await weir(['labels', 'import', file, '--format', 'csv', ...place], { env });
  rmSync(folder, { recursive: true });
  expect(imported).toMatchObject({ code: 0 });
  await vi.waitFor(
    async () => {
      const { stdout } = await weir(['audit', 'export', '--format', 'jsonl', ...place], { env });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line)).find(({ topic }) => topic === 'labels.changed')).toMatchObject({
        data: { action: 'import', file_name: 'list.csv', labels: 1 },
      });
    },
    { timeout: 30_000, interval: 500 },
  );
});

test('what does not decode goes to the dead letters with its bytes, and weir dlq shows and replays it', async () => {
  const bytes = Buffer.concat([Buffer.from([0, 255]), randomBytes(40)]);
  await log.publish([{ topic: 'deposits.detected', key: 'bad', value: bytes, headers: { ce_id: 'bad' } }]);
  await vi.waitFor(async () => expect(await log.read('deposits.detected.dlq', 0, 0n, 10)).toHaveLength(1), {
    timeout: 20_000,
    interval: 100,
  });
  const place = ['--data-dir', installation.dataDir];
  const listed = JSON.parse((await weir(['dlq', 'list', '--json', ...place], { env })).stdout);
  expect(listed).toMatchObject([{ topic: 'deposits.detected', offset: '0', reason: 'UNDECODABLE', key: 'bad' }]);
  const shown = JSON.parse((await weir(['dlq', 'show', 'deposits.detected', '0', '--json', ...place], { env })).stdout);
  expect(Buffer.from(shown.value_base64, 'base64').equals(bytes)).toBe(true);
  const replayed = await weir(['dlq', 'replay', 'deposits.detected', '0', '--yes', ...place], { env });
  expect(replayed).toMatchObject({ code: 0 });
  // It is still unreadable, so it becomes a dead letter again.
  await vi.waitFor(async () => expect(await log.read('deposits.detected.dlq', 0, 0n, 10)).toHaveLength(2), {
    timeout: 20_000,
    interval: 100,
  });
});

test('nobody is ready while Kafka is away, and the pipeline goes on when it is back', async () => {
  await kafka.kill();
  await vi.waitFor(async () => expect((await fetch(`${installation.url}/readyz`)).status).toBe(503), { timeout: 30_000, interval: 200 });
  await kafka.restart();
  const deposit = {
    deposit_id: 'on-kafka-2',
    coin: 'ETH',
    from_address: '0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b',
    to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
    amount: '2',
  };
  await decided(deposit, 50_000);
});
