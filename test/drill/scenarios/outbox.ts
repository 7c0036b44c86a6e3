import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { applyTopics } from '@weir/event-log/kafka';
import { connectToRunning } from '@weir/postgres';
import { storeToken } from '@weir/service-kit';
import { openOn } from '../../chaos/kafka.ts';
import { startKafka } from '../../support/stack/kafka.ts';
import { startRegistry } from '../../support/stack/registry.ts';
import { address } from '../address.ts';
import { minute, type Own, type Scenario } from '../scenario.ts';
import { startService } from '../service.ts';
import type { World } from '../world.ts';

const database = 'drill_kafka';
const topic = 'deposits.detected';

/** A broker, a registry and a database without services. Resolves with their settings. */
async function startKafkaTier({ installation, inDatabase }: World, { atEnd }: Own): Promise<Record<string, string>> {
  const [kafka, registry] = await Promise.all([startKafka(), startRegistry()]);
  atEnd(() => Promise.all([kafka.stop(), registry.stop()]));
  await inDatabase(({ pool }) => pool.query(`CREATE DATABASE ${database}`));
  atEnd(() => inDatabase(({ pool }) => pool.query(`DROP DATABASE ${database} WITH (FORCE)`)));
  const url = Object.assign(new URL(connectToRunning(installation.dataDir) ?? ''), { pathname: `/${database}` });
  return { DATABASE_URL: url.toString(), KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: registry.url };
}

export const smallTopic: Scenario = {
  name: 'somebody lets a topic of Kafka take a hundred bytes',
  alerts: { WeirOutboxRefused: 1 * minute },
  // Refused events are tried again each minute.
  noticedAfter: 1 * minute,
  breakIt: async (world, own) => {
    Object.assign(own.env, await startKafkaTier(world, own));
    const apply = async (): Promise<void> => {
      const { code, said } = await world.weir(['topics', 'apply'], own.env);
      if (code !== 0) throw new Error(`weir topics apply ended with ${code}: ${said}`);
    };
    await apply();
    const token = randomBytes(32).toString('base64url');
    const pipeline = await openOn(own.env);
    try {
      await storeToken(pipeline.pool, token, 'ingest', 'drill');
    } finally {
      await pipeline.close();
    }
    const { url } = await startService(world, own, 'deposit-ingest', own.env);
    const { partitions } = topicSpecs.find(({ name }) => name === topic) ?? { partitions: 0 };
    await applyTopics(() => [{ name: topic, partitions, config: { 'max.message.bytes': '100' } }], {
      connection: { brokers: [own.env['KAFKA_BROKERS'] ?? ''] },
      clock: systemClock,
      replicationFactor: 1,
      dryRun: false,
    });
    const deposit = { deposit_id: 'drill', coin: 'ETH', amount: '1', from_address: address('1', 1), to_address: address('c', 0) };
    await fetch(`${url}/v1/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(deposit),
    });
    return apply;
  },
};
