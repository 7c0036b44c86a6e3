import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { openKafkaLog } from '@weir/event-log/kafka';
import { afterAll, beforeAll, test } from 'vitest';
import { failOver, openTwoProviders, type TwoProviders } from '../e2e/two-providers.testing.ts';
import { startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

let kafka: TestKafka;
let providers: TwoProviders;
beforeAll(async () => {
  // Its own broker: topic names are fixed.
  kafka = await startKafka({ properties: unkilled });
  const log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
  await log.createTopics(topicSpecs);
  await log.close();
  const registry = { url: process.env[variables.registry] ?? '' };
  providers = await openTwoProviders('fallback', { kafka: { brokers: [kafka.brokers] }, registry });
});
afterAll(async () => {
  await providers.close();
  await kafka.stop();
});

test('a failover under load on Kafka allows nothing on the word of a provider that is away', () => failOver(providers));
