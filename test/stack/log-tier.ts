import { startKafka } from './kafka.ts';
import { startRegistry } from './registry.ts';

/** Where tests find a broker and a registry that stay up; inherited by the test workers. */
export const logTierVariables = { brokers: 'WEIR_TEST_KAFKA_BROKERS', registry: 'WEIR_TEST_SCHEMA_REGISTRY_URL' } as const;

/**
 * One broker and one registry for a whole test run: those of the environment, else our own. What cannot be had fails the run
 * with a line that says why; nothing is skipped. Returns what stops the ones that were started.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const stops = await Promise.all([
    provide(logTierVariables.brokers, async () => {
      const kafka = await startKafka();
      return { address: kafka.brokers, server: kafka };
    }),
    provide(logTierVariables.registry, async () => {
      const registry = await startRegistry();
      return { address: registry.url, server: registry };
    }),
  ]);
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

interface Started {
  readonly address: string;
  readonly server: { stop(): Promise<void> };
}

async function provide(variable: string, start: () => Promise<Started>): Promise<() => Promise<void>> {
  if (process.env[variable] !== undefined) return async () => undefined;
  const { address, server } = await start();
  process.env[variable] = address;
  return async () => {
    delete process.env[variable];
    await server.stop();
  };
}
