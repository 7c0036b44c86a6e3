import { randomUUID } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { numbered, readAll, record, text } from '../behaviour/harness.ts';
import type { EventLog } from '../port.ts';
import { lossyNetwork } from './lossy-network.testing.ts';
import { openKafkaLog } from './log.ts';
import { openTestLog, testBrokers } from './testing.ts';

let log: EventLog;
let topic: string;
beforeEach(async () => {
  ({ log } = openTestLog(testBrokers()));
  topic = `topic-${randomUUID()}`;
  await log.createTopics([{ name: topic, partitions: 1 }]);
});
afterEach(() => log.close());

test('after a failure of unknown outcome the next records are stored, not taken for repeats', async () => {
  const network = await lossyNetwork(testBrokers()[0] ?? '');
  const shaky = openKafkaLog({ connection: { brokers: testBrokers() }, clock: systemClock, openSocket: network.openSocket });
  try {
    await shaky.publish([record(topic, 'a', 'first')]);
    const lost = network.loseAnswers();
    const publishing = shaky.publish([record(topic, 'a', 'perhaps')]);
    await expect(publishing).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retriable: true });
    await lost;
    network.heal();
    await vi.waitFor(() => shaky.publish([record(topic, 'a', 'after')]), { timeout: 10_000 });
    // The broker did write the unacknowledged record, so the next sequence numbers look used.
    expect((await readAll(log, topic)).map(text)).toEqual(['first', 'perhaps', 'after']);
  } finally {
    await shaky.close();
    await network.close();
  }
});

test('a record that was given up is not written later', async () => {
  const network = await lossyNetwork(testBrokers()[0] ?? '');
  const shaky = openKafkaLog({ connection: { brokers: testBrokers() }, clock: systemClock, openSocket: network.openSocket });
  try {
    await shaky.publish([record(topic, 'a', '0')]);
    void network.loseAnswers();
    await expect(shaky.publish([record(topic, 'a', '1')])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
    network.heal();
    await vi.waitFor(() => shaky.publish([record(topic, 'a', '2')]), { timeout: 10_000 });
    // Longer than kafkajs's retry pause.
    await systemClock.sleep(1_500);
    expect((await readAll(log, topic)).map(text)).toEqual(['0', '1', '2']);
  } finally {
    await shaky.close();
    await network.close();
  }
});

test('more than one batch of a partition goes in several, in order', async () => {
  const sent = numbered(topic, 3_000, 10).map((each) => ({ ...each, value: Buffer.concat([each.value, Buffer.alloc(2_000, ' ')]) }));
  await Promise.all([log.publish(sent.slice(0, 1_500)), log.publish(sent.slice(1_500))]);
  const all = await readAll(log, topic, 1_000);
  expect(all.map((each) => Number(text(each)))).toEqual(sent.map((_, i) => i));
});

test('a record that is too large for the topic is refused, and no other with it', async () => {
  const outcomes = await Promise.allSettled([
    log.publish([record(topic, 'a', 'before')]),
    log.publish([record(topic, 'a', Buffer.alloc(2 * 1_048_576))]),
    log.publish([record(topic, 'a', 'after')]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'INVALID_RECORD', retriable: false } });
  const values = (await readAll(log, topic)).map(text);
  expect(new Set(values)).toEqual(new Set(['before', 'after']));
});

test('a key with half a character is refused', async () => {
  await expect(log.publish([record(topic, 'a\ud800', 'x')])).rejects.toMatchObject({ code: 'INVALID_RECORD' });
});

test('an idle client wakes nobody: kafkajs sets no timers without a request that waits', async () => {
  const warned: Error[] = [];
  const note = (warning: Error): void => void warned.push(warning);
  process.on('warning', note);
  try {
    const { log: idle } = openTestLog(testBrokers());
    await idle.publish([record(topic, 'a', 'x')]);
    const before = process.cpuUsage();
    await systemClock.sleep(2_000);
    const { user, system } = process.cpuUsage(before);
    await idle.close();
    process.stdout.write(`idle producer: ${((user + system) / 20_000).toFixed(1)} % of a core\n`);
    expect(warned.map(({ name }) => name)).not.toContain('TimeoutNegativeWarning');
  } finally {
    process.off('warning', note);
  }
});
