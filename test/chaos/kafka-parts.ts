import { openGateway } from '../support/stack/gateway.ts';
import { startKafka, type TestKafka } from '../support/stack/kafka.ts';
import { startPostgres, type TestPostgres } from '../support/stack/postgres.ts';
import { startRedis } from '../support/stack/redis.ts';
import { startRegistry } from '../support/stack/registry.ts';
import { type Deployment, type DeploymentOptions, perSecond, settingsOf, type Undo } from './deployment.ts';
import { switchOf } from './switch.ts';
import { ChaosUpstream } from './upstream.ts';

/** The servers of the production tier, with a fault for each. */
export interface KafkaParts extends Pick<Deployment, 'upstream' | 'flushRedis' | 'replaceRedis' | 'registryAway'> {
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the broker's topics. */
  readonly brokerData: string;
  readonly kill: Readonly<Record<'postgres' | 'broker' | 'redis', () => Promise<Undo>>>;
}

/** Enough for twelve processes with a pool each. */
const maxConnections = 200;
const flushLimitMs = 60_000;

/** Adds the stop functions to `closing`, even when a later part fails to start. */
export async function startKafkaParts(closing: (() => Promise<void>)[], options: DeploymentOptions = {}): Promise<KafkaParts> {
  const kept = async <T>(starting: Promise<T>, stop: (started: T) => Promise<void>): Promise<T> => {
    const started = await starting;
    closing.push(() => stop(started));
    return started;
  };
  const stop = (it: { stop(): Promise<void> }): Promise<void> => it.stop();
  const close = (it: { close(): Promise<void> }): Promise<void> => it.close();
  const starting = [
    kept(ChaosUpstream.start(options.perSecond ?? perSecond), close),
    kept(startPostgres({ maxConnections }), stop),
    kept(startKafka({ properties: options.broker ?? {} }), stop),
    kept(startRedis({ own: true }), stop),
    kept(startRegistry(), stop),
  ] as const;
  // Where one fails, the others are stopped once they have started.
  await Promise.allSettled(starting);
  const [upstream, postgres, kafka, redis, server] = await Promise.all(starting);
  // The registry keeps schemas in memory. Cutting a gateway imitates one that keeps them on disk.
  const address = new URL(server.url);
  const registry = await kept(
    openGateway(() => ({ host: address.hostname, port: Number(address.port) })),
    close,
  );
  const takeRedis = redisSwitch(redis);
  return {
    upstream,
    env: {
      ...settingsOf(upstream, options.perSecond),
      ...options.env,
      DATABASE_URL: postgres.url,
      KAFKA_BROKERS: kafka.brokers,
      REDIS_URL: redis.url,
      SCHEMA_REGISTRY_URL: `http://127.0.0.1:${registry.port}${address.pathname}`,
    },
    brokerData: kafka.data,
    kill: { postgres: restartable(postgres), broker: restartable(kafka), redis: () => takeRedis(true) },
    replaceRedis: () => takeRedis(false),
    flushRedis: () => untilDone(() => redis.flushAll(), flushLimitMs),
    registryAway: switchOf(
      () => registry.away(),
      () => registry.back(),
    ),
  };
}

function restartable(server: TestPostgres | TestKafka): () => Promise<Undo> {
  return switchOf(
    () => server.kill(),
    () => server.restart(),
  );
}

/** When two faults overlap, the last one decides whether Redis keeps its data. */
function redisSwitch(redis: Awaited<ReturnType<typeof startRedis>>): (keepData: boolean) => Promise<Undo> {
  let keep = true;
  const take = switchOf(
    () => redis.kill(),
    () => redis.restart({ keepData: keep }),
  );
  return (keepData) => {
    keep = keepData;
    return take();
  };
}

/** Retries for up to `limitMs`, because a part may be down. */
export async function untilDone<T>(work: () => Promise<T>, limitMs: number): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
