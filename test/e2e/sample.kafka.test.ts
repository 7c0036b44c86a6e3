import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';
import { startRedis } from '../support/stack/redis.ts';
import { expectFirstStart } from './first-start.ts';

expectFirstStart({
  prepare: async () => {
    // Its own broker: topic names are fixed, so it would screen records of other tests.
    const kafka = await startKafka();
    const redis = await startRedis({ own: true });
    const close = async (): Promise<void> => void (await Promise.all([kafka.stop(), redis.stop()]));
    const env = {
      KAFKA_BROKERS: kafka.brokers,
      SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '',
      REDIS_URL: redis.url,
    };
    const applied = await weir(['topics', 'apply'], { env });
    if (applied.code === 0) return { env, close };
    await close();
    throw new Error(`weir topics apply ended with ${applied.code}: ${applied.stderr}`);
  },
});
