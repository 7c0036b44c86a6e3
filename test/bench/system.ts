import { systemClock } from '@weir/clock';
import { findRunning } from '@weir/installation';
import { connectToRunning } from '@weir/postgres';
import { createLogger, type OpenPipeline, openPipeline } from '@weir/service-kit';
import { makeInstallation } from '../support/stack/installation.ts';
import { forkUpstream, upstreamEnv } from './upstream.ts';

export interface System {
  /** The benchmark's own client. */
  readonly pipeline: OpenPipeline;
  readonly ingest: { readonly url: string; readonly token: string };
  close(): Promise<void>;
}

export interface EmbeddedSystem extends System {
  readonly gate: { readonly url: string; readonly token: string };
  /** Of Weir's process, which has PostgreSQL among its children. */
  readonly pid: number;
  /** Ends Weir and its PostgreSQL in order; the data stays. Returns the data folder. */
  end(): Promise<string>;
}

export interface SystemOptions {
  /** Changes the owner's database, which then restarts. */
  readonly prepare?: (ownerUrl: string) => Promise<void>;
  /** Default: `WEIR_PROCESSES`, else 1. */
  readonly processes?: number;
}

/** The embedded tier, started like `npm start`, with an upstream that answers at once. */
export async function startSystem({ prepare, processes }: SystemOptions = {}): Promise<EmbeddedSystem> {
  const upstream = await forkUpstream();
  const args = processes === undefined ? [] : ['--processes', String(processes)];
  const installation = await makeInstallation({ args, env: { ...upstreamEnv(upstream), WEIR_LOG_LEVEL: 'error' } });
  const { url, dataDir } = installation;
  const ownerUrl = (): string => connectToRunning(dataDir) ?? '';
  await installation.start();
  if (prepare !== undefined) {
    await prepare(ownerUrl());
    await installation.end();
    await installation.start();
  }
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const pipeline = await openPipeline({ databaseUrl: ownerUrl(), clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  let closing: Promise<void> | undefined;
  const closePipeline = (): Promise<void> => (closing ??= pipeline.close());
  return {
    pipeline,
    ingest: { url, token: installation.token('ingest') },
    gate: { url, token: installation.token('gate') },
    pid: findRunning(dataDir)?.pid ?? 0,
    end: async () => {
      await closePipeline();
      await installation.end();
      return dataDir;
    },
    close: async () => {
      await closePipeline();
      await installation.remove();
      upstream.close();
    },
  };
}

/** Groups of the embedded installation that end a transfer's path. */
const lastGroups = ['decision', 'console', 'audit-writer'];

/** Resolves when every stage has read and stored what was published. */
export async function untilSettled({ pipeline: { log, clock } }: Pick<System, 'pipeline'>): Promise<void> {
  for (;;) {
    const lags = await Promise.all(lastGroups.map((group) => log.lag(group)));
    if (lags.flat().every(({ lag }) => lag === 0n)) return;
    await clock.sleep(50);
  }
}
