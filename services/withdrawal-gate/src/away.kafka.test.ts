import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { openKafkaLog } from '@weir/event-log/kafka';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startKafka, type TestKafka } from '../../../test/support/stack/kafka.ts';
import { gateRole } from './gate.testing.ts';
import { variables } from '../../../test/support/stack/parts.ts';
import { testCommitted } from './committed.testing.ts';
import { decided, openGate } from './gate.testing.ts';
import { expectPermitting, expectRefusing } from './refusing.testing.ts';

let kafka: TestKafka;
let stack: TestStack;
beforeAll(async () => {
  // A broker of its own, because the test kills it.
  kafka = await startKafka();
  const log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
  await log.createTopics(topicSpecs);
  await log.close();
  stack = await openTestStack({
    tier: { kafka: { brokers: [kafka.brokers] }, registry: { url: process.env[variables.registry] ?? '' } },
    roles: [gateRole],
  });
});
afterAll(async () => {
  await stack.close();
  await kafka.stop();
});

testCommitted('Kafka', async () => {
  const gate = await openGate(stack, { kafkaBrokers: kafka.brokers });
  return { gate, owner: stack.db.pool, close: () => gate.stop().then(() => gate.close()) };
});

test('Kafka killed: nobody is told "allowed" and no permit is redeemed; what was taken in meanwhile is asked about when it is back', async () => {
  const gate = await openGate(stack, { kafkaBrokers: kafka.brokers });
  await gate.settle('w-1', 'allow');
  const { permit } = (await gate.get('w-1')).body;
  await kafka.kill();
  await expectRefusing(gate, { allowed: 'w-1', permit });
  await expectRefusing(gate, { allowed: 'w-1', permit });
  expect((await gate.post({ withdrawal_id: 'w-2' })).body).toMatchObject({ status: 'pending' });
  await kafka.restart();
  await vi.waitFor(async () => expect((await gate.get('w-1')).status).toBe(200), { timeout: 60_000, interval: 200 });
  await expectPermitting(gate, { allowed: 'w-1', permit });
  await gate.decide(decided('w-2', 1, 'allow'));
  expect((await gate.get('w-2')).body).toMatchObject({ status: 'allowed', permit: expect.any(String) });
  await gate.close();
});
