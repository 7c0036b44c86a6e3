import { systemClock } from '@weir/clock';
import type { EventLog, LogRecord } from '@weir/event-log';
import { applyTopics, openKafkaLog, type WantedTopic } from '@weir/event-log/kafka';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { saslUser, startKafka, type TestKafka } from '../support/stack/kafka.ts';

let kafka: TestKafka;
const logs: EventLog[] = [];
const open = (brokers: string, sasl?: { username: string; password: string }): EventLog => {
  const connection = { brokers: [brokers], ...(sasl === undefined ? {} : { sasl: { mechanism: 'PLAIN' as const, ...sasl } }) };
  const log = openKafkaLog({ connection, clock: systemClock });
  logs.push(log);
  return log;
};

beforeAll(async () => {
  kafka = await startKafka();
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
});
afterAll(() => kafka.stop());

const lines = (records: readonly LogRecord[]): number[] => records.map(({ value }) => Number(value.toString()));

test('a broker killed with -9 under load loses nothing that was acknowledged, and each key stays in order', async () => {
  const log = open(kafka.brokers);
  await log.createTopics([{ name: 'load', partitions: 4 }]);
  const acknowledged: number[] = [];
  const handled: LogRecord[] = [];
  await log.subscribe({
    group: 'readers',
    topics: ['load'],
    maxInFlight: 200,
    maxBatch: 50,
    handle: async (records) => void handled.push(...records),
  });
  let next = 0;
  let isOver = false;
  const write = async (): Promise<void> => {
    while (!isOver) {
      const numbers = Array.from({ length: 20 }, () => next++);
      const records = numbers.map((n) => ({ topic: 'load', key: `key-${n % 10}`, value: Buffer.from(String(n)), headers: {} }));
      // One batch at a time, retried until acknowledged, like the outbox.
      while (
        !isOver &&
        !(await log.publish(records).then(
          () => acknowledged.push(...numbers),
          () => 0,
        ))
      );
    }
  };
  const writing = write();
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(500), { timeout: 20_000 });
  await kafka.kill();
  const before = acknowledged.length;
  await kafka.restart();
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 500), { timeout: 40_000, interval: 100 });
  isOver = true;
  await writing;
  await vi.waitFor(() => expect(acknowledged.filter((n) => !lines(handled).includes(n))).toEqual([]), { timeout: 30_000, interval: 200 });
  for (let key = 0; key < 10; key++) {
    // Unacknowledged records may be stored twice. First occurrences must stay in order.
    const mine = [...new Set(lines(handled.filter((record) => record.key === `key-${key}`)))];
    expect(mine).toEqual(mine.toSorted((a, b) => a - b));
  }
  process.stdout.write(`${acknowledged.length} acknowledged, ${handled.length} handled\n`);
});

test('says who it is (SASL), and says so when that is refused', async () => {
  const log = open(kafka.saslBrokers, saslUser);
  await log.createTopics([{ name: 'named', partitions: 1 }]);
  await log.publish([{ topic: 'named', key: 'a', value: Buffer.from('1'), headers: {} }]);
  expect(lines(await log.read('named', 0, 0n, 10))).toEqual([1]);
  const stranger = open(kafka.saslBrokers, { username: saslUser.username, password: 'wrong' });
  await expect(stranger.partitions('named')).rejects.toMatchObject({
    code: 'LOG_FAILED',
    retriable: false,
    message: 'Kafka refused the credentials',
  });
});

test('topics are brought to what they should be, and what was set besides stays', async () => {
  const connection = { brokers: [kafka.brokers] };
  const apply = (topic: Omit<WantedTopic, 'name'>, dryRun = false) =>
    applyTopics(() => [{ name: 'applied', ...topic }], { connection, clock: systemClock, replicationFactor: 3, dryRun });
  const first = { partitions: 2, config: { 'retention.ms': '1000', 'max.message.bytes': '2000000' } };
  expect(await apply(first)).toMatchObject([{ topic: 'applied', action: 'create', partitions: { from: 0, to: 2 } }]);
  expect(await apply(first)).toMatchObject([{ action: 'none', partitions: { from: 2, to: 2 }, config: [] }]);
  const wanted = { partitions: 3, config: { 'retention.ms': '2000' } };
  const change = { action: 'change', partitions: { from: 2, to: 3 }, config: [{ name: 'retention.ms', from: '1000', to: '2000' }] };
  expect(await apply(wanted, true)).toMatchObject([change]);
  expect(await apply(wanted)).toMatchObject([change]);
  expect(await open(kafka.brokers).partitions('applied')).toBe(3);
  const both = { partitions: 1, config: { 'retention.ms': '2000', 'max.message.bytes': '2000000' } };
  expect(await apply(both)).toMatchObject([{ action: 'none', partitions: { from: 3, to: 3 } }]);
});
