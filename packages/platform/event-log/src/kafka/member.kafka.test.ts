import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@weir/clock';
import kafkajs, { type Consumer, type ConsumerConfig } from 'kafkajs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { numbered, record, totalLag, until } from '../behaviour/harness.ts';
import { Gate, Witness } from '../behaviour/witness.ts';
import type { EventLog, PartitionLag, SubscribeOptions, Subscription } from '../port.ts';
import { openClient } from './client.ts';
import { settings } from './settings.ts';
import { type Client, openTestLog, testBrokers } from './testing.ts';

const clients: Client[] = [];
let topic: string;
let group: string;
const open = (options: { stallMs?: number } = {}): Client => {
  const client = openTestLog(testBrokers(), options);
  clients.push(client);
  return client;
};
const join = (log: EventLog, witness: Witness, work: () => Promise<void>, of: Partial<SubscribeOptions> = {}): Promise<Subscription> =>
  log.subscribe({
    group,
    topics: [topic],
    maxInFlight: 20,
    maxBatch: 4,
    ...of,
    handle: (records) => witness.watch(records, work),
  });

/** Reports every consumer that the group creates during this test. */
function watchConsumers(made: (consumer: Consumer) => void): void {
  const prototype = kafkajs.Kafka.prototype as { consumer: (this: kafkajs.Kafka, config?: ConsumerConfig) => Consumer };
  const original = prototype.consumer;
  vi.spyOn(prototype, 'consumer').mockImplementation(function (this: kafkajs.Kafka, config) {
    const consumer = original.call(this, config);
    if (config?.groupId === group) made(consumer);
    return consumer;
  });
}

beforeEach(async () => {
  topic = `topic-${randomUUID()}`;
  group = `group-${randomUUID()}`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(clients.splice(0).map(({ log }) => log.close()));
});

test('takes over within 10 s from a process that was killed while it consumed', async () => {
  const { log } = open();
  await log.createTopics([{ name: topic, partitions: 4 }]);
  const child = spawn(process.execPath, [fileURLToPath(new URL('consumer-process.ts', import.meta.url))], {
    env: { ...process.env, BROKERS: testBrokers().join(','), GROUP: group, TOPIC: topic },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const theirs: string[] = [];
  createInterface(child.stdout).on('line', (line) => theirs.push(line));
  try {
    const witness = new Witness();
    const sent = numbered(topic, 2_000, 100);
    // A fresh broker first answers that its groups are loading.
    await until('the child has joined', async () => (await log.lag(group).catch(() => [])).length === 4);
    const mine = await join(log, witness, () => systemClock.sleep(5));
    await until('each has half', () => mine.assigned.length === 2);
    await log.publish(sent);
    const ours = new Set(mine.assigned.map(({ partition }) => partition));
    let before: PartitionLag[] = [];
    await until('the child is at work, and has committed', async () => {
      before = (await log.lag(group)).filter(({ partition }) => !ours.has(partition));
      return theirs.length >= 30 && before.some(({ lag, end }) => lag < end);
    });
    child.kill('SIGKILL');
    const killed = systemClock.monotonic();
    await until('its partitions are here', () => mine.assigned.length === 4);
    process.stdout.write(`taken over after ${Math.round(systemClock.monotonic() - killed)} ms\n`);
    await until('everything is committed', async () => (await totalLag(log, group)) === 0n);
    expect(new Set([...theirs, ...witness.values]).size).toBe(sent.length);
    expect(witness.outOfOrder).toEqual([]);
    // Only uncommitted records repeat.
    const committed = new Map(before.map(({ partition, lag, end }) => [partition, end - lag]));
    expect(witness.handed.filter(({ partition, offset }) => offset < (committed.get(partition) ?? 0n))).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a handler that takes longer than the session keeps its partitions, and nothing comes twice', async () => {
  const [slow, other] = [open(), open()];
  await slow.log.createTopics([{ name: topic, partitions: 2 }]);
  const [first, second] = [new Witness(), new Witness()];
  const held = await join(slow.log, first, () => systemClock.sleep(settings.sessionTimeoutMs + 3_000));
  await join(other.log, second, () => Promise.resolve());
  await until('each has one', () => held.assigned.length === 1);
  const [mine] = held.assigned;
  await slow.log.publish(numbered(topic, 8, 8));
  await until('all are dealt with', async () => (await totalLag(slow.log, group)) === 0n);
  expect(held.assigned).toEqual([mine]);
  expect(first.handed.length).toBeGreaterThan(0);
  expect(first.handed.length + second.handed.length).toBe(8);
  expect([...slow.errors, ...other.errors]).toEqual([]);
});

test('a member that joins does not interrupt the work of another, and gets a partition when it is done', async () => {
  const [one, two] = [open(), open()];
  await one.log.createTopics([{ name: topic, partitions: 4 }]);
  const [witness, gate] = [new Witness(), new Gate()];
  const first = await join(one.log, witness, () => gate.passed, { maxInFlight: 40 });
  await one.log.publish(numbered(topic, 40, 40));
  await until('all are in hand', () => witness.handed.length === 40);
  const second = await join(two.log, witness, () => gate.passed, { maxInFlight: 40 });
  await until('the first lets go of half', () => first.assigned.length === 2);
  // Enough time for the second to take free partitions.
  for (let i = 0; i < 200; i++) await two.log.lag(group);
  expect(second.assigned).toEqual([]);
  gate.open();
  await until('both have half', () => first.assigned.length === 2 && second.assigned.length === 2);
  await until('everything is committed', async () => (await totalLag(one.log, group)) === 0n);
  expect(witness.handed).toHaveLength(40);
  expect(witness.violations).toEqual([]);
});

test('the watchdog replaces a consumer that stands still without a word', async () => {
  const made: Consumer[] = [];
  watchConsumers((consumer) => made.push(consumer));
  // A pause of the machine must not look like a standstill.
  const stallMs = 6_000;
  const { log, errors } = open({ stallMs });
  await log.createTopics([{ name: topic, partitions: 1 }]);
  const witness = new Witness();
  await join(log, witness, () => Promise.resolve());
  await log.publish([record(topic, 'a', '0')]);
  await until('it reads', () => witness.values.length === 1);
  await systemClock.sleep(1.5 * stallMs);
  expect(made).toHaveLength(1);
  made[0]?.pause([{ topic }]);
  await log.publish([record(topic, 'a', '1')]);
  await until('it reads again', () => witness.values.length === 2);
  expect(made).toHaveLength(2);
  expect(String(errors)).toContain(`${topic}/0 stands still at 1 of 2`);
});

test('a member whose consumer crashed joins again with another', async () => {
  const { log, errors } = open();
  await log.createTopics([{ name: topic, partitions: 2 }]);
  const witness = new Witness();
  let crashed = false;
  watchConsumers((consumer) =>
    consumer.on(consumer.events.FETCH_START, () => {
      if (crashed || witness.values.length === 0) return;
      crashed = true;
      throw new TypeError('a fault of its own');
    }),
  );
  const subscription = await join(log, witness, () => Promise.resolve());
  await log.publish(numbered(topic, 10, 10));
  await until('it has crashed', () => errors.length > 0);
  await log.publish(numbered(topic, 20, 10).slice(10));
  await until('all are handled', () => witness.values.length === 20);
  expect(crashed).toBe(true);
  expect(subscription.assigned).toHaveLength(2);
  expect(witness.outOfOrder).toEqual([]);
});

interface Broker {
  joinGroup(this: Broker, of: { groupId: string; memberId: string }): Promise<unknown>;
  heartbeat(this: Broker, of: { groupId: string; memberId: string }): Promise<unknown>;
  leaveGroup(this: Broker, of: { groupId: string; memberId: string }): Promise<unknown>;
}

/** Runs `before` at each such call of kafkajs to a broker; an exception becomes the answer. */
function interfere(call: 'joinGroup' | 'heartbeat', before: (memberId: string, broker: Broker) => unknown): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as { prototype: Broker };
  const original = prototype[call];
  vi.spyOn(prototype, call).mockImplementation(async function (this: Broker, of) {
    if (of.groupId === group) await before(of.memberId, this);
    return original.call(this, of);
  });
}
const cutOff = (): Error => Object.assign(new Error('cut'), { name: 'KafkaJSConnectionError', retriable: true });

test('a member that let go of partitions and could not join again tries once more', async () => {
  let mine = '';
  watchConsumers((consumer) =>
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      if (mine === '') mine = payload.memberId;
    }),
  );
  let joins = 0;
  // First it hears of the other member; then it has released partitions, which the group does not know yet.
  interfere('joinGroup', (memberId) => {
    if (memberId === mine && mine !== '' && ++joins === 2) throw cutOff();
  });
  const [one, two] = [open(), open()];
  await one.log.createTopics([{ name: topic, partitions: 2 }]);
  const witness = new Witness();
  const held = await join(one.log, witness, () => Promise.resolve());
  const other = await join(two.log, witness, () => Promise.resolve());
  await until('each has one', () => held.assigned.length === 1 && other.assigned.length === 1);
  expect(joins).toBeGreaterThan(2);
  await one.log.publish(numbered(topic, 20, 20));
  await until('everything is committed', async () => (await totalLag(one.log, group)) === 0n);
  expect(witness.handed).toHaveLength(20);
});

test('a member that the group has forgotten and that could not join anew does not read on for nothing', async () => {
  let steps = 0;
  interfere('heartbeat', async (memberId, broker) => {
    if (steps === 1) await broker.leaveGroup({ groupId: group, memberId });
    if (steps === 1) steps = 2;
  });
  interfere('joinGroup', () => {
    if (steps !== 2) return;
    steps = 3;
    throw cutOff();
  });
  // The watchdog, which would help in the end, stays away.
  const { log } = open({ stallMs: 3_600_000 });
  await log.createTopics([{ name: topic, partitions: 2 }]);
  const witness = new Witness();
  await join(log, witness, () => Promise.resolve());
  steps = 1;
  await until('it could not join', () => steps === 3);
  await log.publish(numbered(topic, 20, 20));
  await until('everything is committed', async () => (await totalLag(log, group)) === 0n);
  expect(new Set(witness.values).size).toBe(20);
});

test('stops within its limits while the brokers are away', async () => {
  const client = open();
  await client.log.createTopics([{ name: topic, partitions: 2 }]);
  const witness = new Witness();
  const subscription = await join(client.log, witness, () => Promise.resolve());
  await client.log.publish(numbered(topic, 10, 10));
  await until('it has read', () => witness.values.length === 10);
  client.sever();
  await subscription.stop();
  await client.log.close();
  expect(subscription.assigned).toEqual([]);
});

test('a group that kafkajs has reset stops at the gap, also where a new group would begin after it', async () => {
  const { log, errors } = open();
  await log.createTopics([{ name: topic, partitions: 1 }]);
  const witness = new Witness();
  const begin = 'present';
  const reader = await join(log, witness, () => Promise.resolve(), { begin });
  await log.publish(numbered(topic, 3, 3));
  await until('three are handled', async () => witness.values.length === 3 && (await totalLag(log, group)) === 0n);
  await reader.stop();
  await log.publish(numbered(topic, 10, 3));
  const client = openClient({ connection: { brokers: testBrokers() }, clock: systemClock });
  const admin = client.kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: ends.map(({ partition, high }) => ({ partition, offset: high })) });
  await log.publish(numbered(topic, 2, 2));
  // Plain kafkajs, as a member that dies before it commits its offset again.
  const consumer = client.kafka.consumer({ groupId: group });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.run({ autoCommit: false, eachMessage: async () => resolve() }).catch(reject);
  });
  await consumer.disconnect();
  expect(await admin.fetchOffsets({ groupId: group })).toMatchObject([{ topic, partitions: [{ partition: 0, offset: '-2' }] }]);
  client.cut();
  const gap = { group, topic, partition: 0, missing: 0n, available: 13n };
  expect((await log.lag(group)).map((of) => of.gap)).toEqual([gap]);
  await join(log, witness, () => Promise.resolve(), { begin });
  await until('the gap is reported', () => errors.length > 0);
  expect(String(errors)).toContain(`has stopped reading ${topic}/0: offsets 0 to 12 are gone`);
  expect(witness.values).toHaveLength(3);
});
