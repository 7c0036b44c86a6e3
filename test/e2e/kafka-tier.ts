import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

/** A broker with every topic, and the settings of an installation on it. Topic names are fixed, so another test's records would be screened. */
export async function prepareKafka(): Promise<{ env: Readonly<Record<string, string>>; close(): Promise<void> }> {
  const kafka = await startKafka({ properties: unkilled });
  const env = { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
  const applied = await weir(['topics', 'apply'], { env });
  if (applied.code === 0) return { env, close: () => kafka.stop() };
  await kafka.stop();
  throw new Error(`weir topics apply ended with ${applied.code}: ${applied.stderr}`);
}
