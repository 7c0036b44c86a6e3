import { expect } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka, unkilled } from '../support/stack/kafka.ts';
import { provideRedis } from '../support/stack/native.ts';
import { variables } from '../support/stack/parts.ts';
import { startRedis } from '../support/stack/redis.ts';
import { expectTraces } from './tracing.ts';

expectTraces({
  prepare: async () => {
    // Its own broker: topic names are fixed, so it would screen records of other tests.
    await provideRedis();
    const [kafka, redis] = await Promise.all([startKafka({ properties: unkilled }), startRedis({ own: true })]);
    const env = { REDIS_URL: redis.url, KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
    expect(await weir(['topics', 'apply'], { env })).toMatchObject({ code: 0 });
    const close = async (): Promise<void> => {
      await Promise.all([kafka.stop(), redis.stop()]);
    };
    return { env, close };
  },
});
