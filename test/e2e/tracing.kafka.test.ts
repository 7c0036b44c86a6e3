import { expect } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';
import { expectTraces } from './tracing.ts';

expectTraces({
  prepare: async () => {
    // Its own broker: topic names are fixed, so it would screen records of other tests.
    const kafka = await startKafka();
    const env = { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
    expect(await weir(['topics', 'apply'], { env })).toMatchObject({ code: 0 });
    return { env, close: () => kafka.stop() };
  },
});
