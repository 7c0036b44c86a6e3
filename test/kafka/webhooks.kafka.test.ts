import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import type { LogGap } from '@weir/event-log';
import { openKafkaLog } from '@weir/event-log/kafka';
import { caughtUp, openTestStack, type TestStack } from '@weir/service-kit/testing';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { decided, publish } from '../../services/console/src/events.testing.ts';
import { type PostingConsole, settingsFor, startPosting } from '../../services/console/src/webhooks/console.testing.ts';
import { type Receiver, startReceiver } from '../../services/console/src/webhooks/receiver.testing.ts';
import { startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

const topic = 'screenings.decided';

let kafka: TestKafka;
let stack: TestStack;
let receiver: Receiver;
let admin: Admin;
beforeAll(async () => {
  // Its own broker: topic names are fixed.
  kafka = await startKafka({ properties: unkilled });
  const log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
  await log.createTopics(topicSpecs);
  await log.close();
  stack = await openTestStack({ tier: { kafka: { brokers: [kafka.brokers] }, registry: { url: process.env[variables.registry] ?? '' } } });
  receiver = await startReceiver();
  admin = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
});
afterAll(async () => {
  await admin.disconnect();
  await stack.close();
  await receiver.close();
  await kafka.stop();
});

/** Kafka removes what the topic has. */
async function trim(name: string): Promise<void> {
  const ends = await admin.fetchTopicOffsets(name);
  await admin.deleteTopicRecords({ topic: name, partitions: ends.map(({ partition, high }) => ({ partition, offset: high })) });
}

const gapsOf = async ({ pipeline }: PostingConsole): Promise<LogGap[]> =>
  (await pipeline.log.lag('webhooks')).flatMap(({ gap }) => gap ?? []);

test('webhooks whose offsets Kafka has removed stop where decisions are lost, rather than begin anew', async () => {
  const first = await startPosting(stack, settingsFor(receiver));
  await publish(first.pipeline, [decided('deposit', 1)]);
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1), 30_000);
  await caughtUp(first.pipeline, 'webhooks');
  await first.stop();

  // Away for longer than the retention of the topic and of the offsets.
  const exchange = await stack.pipeline();
  await publish(exchange, [decided('deposit', 1, { revision: 2 })]);
  await trim(topic);
  await vi.waitFor(() => admin.deleteGroups(['webhooks']), 30_000);
  await publish(exchange, [decided('deposit', 1, { revision: 3 })]);

  const second = await startPosting(stack, settingsFor(receiver));
  await vi.waitFor(async () => expect((await gapsOf(second)).length + receiver.arrivals.length).toBe(2), 30_000);
  const [gap] = await gapsOf(second);
  expect(gap).toMatchObject({ group: 'webhooks', topic, missing: 0n, available: 2n });
  expect(await second.scrape()).toContain(`weir_log_gaps{topic="${topic}",group="webhooks"} 1`);

  await second.stop();
  await exchange.log.resume(gap === undefined ? [] : [gap]);
  await startPosting(stack, settingsFor(receiver));
  await vi.waitFor(() => expect(receiver.arrivals.map(({ payload }) => payload.data.revision)).toEqual([1, 3]), 30_000);
});

test('a resume that Kafka refuses, because the group has members, leaves no act', async () => {
  const { log, pool } = await stack.pipeline();
  const lost = 'deposits.detected';
  await log.publish([{ topic: lost, key: 'a', value: Buffer.from('not a record'), headers: {} }]);
  await trim(lost);
  const subscription = await log.subscribe({ group: 'late', topics: [lost], maxInFlight: 10, maxBatch: 1, handle: async () => undefined });
  const gaps = async (): Promise<LogGap[]> => (await log.lag('late')).flatMap(({ gap }) => gap ?? []);
  await vi.waitFor(async () => expect(await gaps()).toHaveLength(1), 30_000);
  const env = { DATABASE_URL: stack.db.url, KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
  const resume = () => weir(['topics', 'resume', 'late', '--from', 'earliest', '--yes'], { env });
  const actsSql = `SELECT subject FROM access.activities WHERE action = 'gap_passed'`;
  const acts = async (): Promise<unknown[]> => (await pool.query(actsSql)).rows;
  expect(await resume()).toMatchObject({ code: 1, stderr: expect.stringContaining('late has members; stop its service first') });
  expect([await acts(), await gaps()]).toMatchObject([[], [{ topic: lost }]]);
  await subscription.stop();
  expect(await resume()).toMatchObject({ code: 0, stderr: expect.stringContaining('late reads on') });
  expect([await acts(), await gaps()]).toEqual([[{ subject: 'late' }], []]);
});
