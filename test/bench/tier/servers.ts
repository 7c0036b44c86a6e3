import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { Codec, topicSpecs } from '@weir/contracts';
import { applyTopics } from '@weir/event-log/kafka';
import { startEmbeddedPostgres } from '@weir/postgres';
import { registrySchemaIds } from '@weir/service-kit';
import { wantedTopics } from '../../../packages/cli/src/topics/topic-configs.ts';
import { startKafka } from '../../support/stack/kafka.ts';
import { startRedis } from '../../support/stack/redis.ts';
import { startRegistry } from '../../support/stack/registry.ts';

/** Shared by every process of this run across restarts. */
const permitKeySecret = randomBytes(24).toString('hex');

/** The production tier's servers as local processes. */
export interface Servers {
  readonly databaseUrl: string;
  readonly brokers: string;
  readonly registryUrl: string;
  readonly redisUrl: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step().catch(() => undefined);
  };
  try {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
    undo.push(async () => rmSync(dataDir, { recursive: true, force: true }));
    const database = await startEmbeddedPostgres({ dataDir, clock: systemClock });
    undo.push(() => database.stop());
    const [kafka, registry, redis] = await Promise.all([startKafka(), startRegistry(), startRedis({ own: true })]);
    undo.push(
      () => kafka.stop(),
      () => registry.stop(),
      () => redis.stop(),
    );
    const connection = { brokers: [kafka.brokers] };
    await applyTopics((replication) => wantedTopics(topicSpecs, replication), {
      connection,
      clock: systemClock,
      replicationFactor: 1,
      dryRun: false,
    });
    await Codec.open(registrySchemaIds({ url: registry.url }));
    const env = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafka.brokers,
      SCHEMA_REGISTRY_URL: registry.url,
      REDIS_URL: redis.url,
      WEIR_LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      WEIR_PERMIT_KEY_SECRET: permitKeySecret,
    };
    return { databaseUrl: database.url, brokers: kafka.brokers, registryUrl: registry.url, redisUrl: redis.url, env, close };
  } catch (error) {
    await close();
    throw error;
  }
}
