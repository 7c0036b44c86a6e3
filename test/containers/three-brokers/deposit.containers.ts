import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { decisionOf, freshAddress, postDeposit } from '../stack/requests.ts';
import { runIn } from '../stack/run-in.ts';
import { Stack } from '../stack/stack.ts';

const stack = Stack.join();
/** Another broker must first be found dead, and its partitions get other leaders. */
const failoverMs = 90_000;

async function screen(): Promise<void> {
  const { tokens } = await stack.credentials();
  const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
  const decided = await decisionOf(stack, tokens['auditor'] ?? '', screening, failoverMs);
  // Not a deadline: scoring has asked the risk API, and decision has read its answer.
  expect(decided.decisions).toMatchObject([{ revision: 1, action: 'review', reason_codes: ['NO_DATA'] }]);
}

test('every partition of a topic is on three brokers', async () => {
  const source = `import { readFileSync } from 'node:fs';
    import kafkajs from 'kafkajs';
    const { KAFKA_BROKERS, KAFKA_SSL_CA_FILE, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = process.env;
    const sasl = { mechanism: 'scram-sha-512', username, password };
    const brokers = KAFKA_BROKERS.split(',');
    const kafka = new kafkajs.Kafka({ brokers, ssl: { ca: [readFileSync(KAFKA_SSL_CA_FILE)] }, sasl, logLevel: kafkajs.logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: ['screenings.requested', 'screenings.scored'] });
    console.log(JSON.stringify(topics.flatMap(({ partitions }) => partitions.map(({ replicas }) => replicas.length))));
    process.exit();`;
  const replicas = JSON.parse(await runIn(stack, 'scoring', source)) as number[];
  expect(new Set(replicas)).toEqual(new Set([3]));
});

/** What `weir topics apply` would do. */
async function actionsOfApply(): Promise<string[]> {
  const files = ['database', 'kafka', 'registry'].map((name) => `--env-file=/secrets/setup/${name}.env`);
  const dryRun = ['node', ...files, 'packages/cli/bin/weir.js', 'topics', 'apply', '--dry-run', '--json', '--replication-factor', '3'];
  const { changes } = JSON.parse(await stack.compose(['run', '--rm', '--no-deps', '-T', 'setup', ...dryRun])) as {
    changes: readonly { action: string }[];
  };
  return [...new Set(changes.map(({ action }) => action))];
}

test('a record is acknowledged once two brokers have it', async () => {
  // It wants `min.insync.replicas` to be one less than the replicas.
  expect(await actionsOfApply()).toEqual(['none']);
});

test('a deposit is decided, and another one while the first broker is dead, which loosens no topic', {
  timeout: 3 * failoverMs,
}, async () => {
  await screen();
  await stack.compose(['kill', 'kafka']);
  await screen();
  expect(await actionsOfApply()).toEqual(['none']);
});
