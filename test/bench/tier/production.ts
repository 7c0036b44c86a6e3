import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { createLogger, openPipeline, storeToken } from '@weir/service-kit';
import type { System } from '../system.ts';
import { forkUpstream, upstreamEnv } from '../upstream.ts';
import { type ServiceProcess, startProcess } from './process.ts';
import { type Servers, startServers } from './servers.ts';

/** Each service in its own process, or several in one (`WEIR_STAGES`). */
export type Layout = 'apart' | 'composed';

/** The production tier: processes on Kafka, a registry, Redis and PostgreSQL. */
export interface Production extends System {
  readonly servers: Servers;
  readonly processes: readonly ServiceProcess[];
}

export interface ProductionOptions {
  readonly servers?: Servers;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: apart. */
  readonly layout?: Layout;
}

/** The services of each process. The one that takes deposits comes last. */
const processesOf: Readonly<Record<Layout, readonly string[]>> = {
  apart: ['audit-writer', 'console', 'decision', 'scoring', 'withdrawal-gate', 'deposit-ingest'],
  composed: ['audit-writer,console', 'withdrawal-gate', 'decision,scoring,deposit-ingest'],
};

export async function startProduction(options: ProductionOptions = {}): Promise<Production> {
  const servers = options.servers ?? (await startServers());
  const undo: (() => Promise<unknown>)[] = options.servers === undefined ? [() => servers.close()] : [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const upstream = await forkUpstream();
    undo.push(async () => upstream.close());
    const pipeline = await openClient(servers);
    undo.push(() => pipeline.close());
    const token = randomBytes(24).toString('base64url');
    await storeToken(pipeline.pool, token, 'ingest', 'bench');
    const processes: ServiceProcess[] = [];
    for (const stages of processesOf[options.layout ?? 'apart']) {
      const env = { ...servers.env, ...upstreamEnv(upstream), ...options.env };
      const started = stages.includes(',')
        ? await startProcess(stages, { ...env, WEIR_STAGES: stages }, { program: 'packages/installation/src/main.ts' })
        : await startProcess(stages, env);
      processes.push(started);
      undo.push(() => started.stop());
    }
    const ingest = processes.at(-1);
    return { servers, processes, pipeline, ingest: { url: ingest?.url ?? '', token }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export function openClient(servers: Servers): ReturnType<typeof openPipeline> {
  const tier = { kafka: { brokers: [servers.brokers] }, registry: { url: servers.registryUrl } };
  const logger = createLogger({ service: 'bench', level: 'warn' });
  return openPipeline({ databaseUrl: servers.databaseUrl, tier, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
}
