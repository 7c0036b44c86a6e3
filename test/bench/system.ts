import { systemClock } from '@weir/clock';
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

/** The embedded tier, started like `npm start`, with an upstream that answers at once. */
export async function startSystem(): Promise<System> {
  const upstream = await forkUpstream();
  const installation = await makeInstallation({ env: { ...upstreamEnv(upstream), WEIR_LOG_LEVEL: 'error' } });
  await installation.start();
  const databaseUrl = connectToRunning(installation.dataDir) ?? '';
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const pipeline = await openPipeline({ databaseUrl, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  return {
    pipeline,
    ingest: { url: installation.url, token: installation.token('ingest') },
    close: async () => {
      await pipeline.close();
      await installation.remove();
      upstream.close();
    },
  };
}
