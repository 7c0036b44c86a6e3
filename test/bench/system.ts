import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { startConsole } from '@weir/console';
import { startDecision } from '@weir/decision';
import { startDepositIngest } from '@weir/deposit-ingest';
import { startEmbeddedPostgres } from '@weir/postgres';
import { startScoring } from '@weir/scoring';
import { createLogger, type OpenPipeline, openPipeline, type Service } from '@weir/service-kit';

export interface System {
  readonly pipeline: OpenPipeline;
  close(): Promise<void>;
}

/** The embedded tier in this process, its PostgreSQL beside it with the durability it ships with, and an upstream that answers at once. */
export async function startSystem(): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const upstream = fork(join(import.meta.dirname, 'upstream-process.ts'));
  const [{ url, apiKey }] = (await once(upstream, 'message')) as [{ url: string; apiKey: string }];
  const database = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const pipeline = await openPipeline({ databaseUrl: database.url, clock: systemClock, logger, poolSize: 8, retentionMs: 3_600_000 });
  const services: Service[] = [
    await startAuditWriter(pipeline, { auditBatch: 500 }),
    await startConsole(pipeline, { consoleBatch: 250 }),
    await startDecision(pipeline, { policyFile: '' }),
    await startScoring(pipeline, {
      upstreamUrl: url,
      upstreamApiKey: apiKey,
      upstreamKeyIn: 'header',
      upstreamPerSecond: 1_000_000,
      upstreamPerDay: 1_000_000_000,
      upstreamPollMs: 500,
      maxResultAgeMs: 86_400_000,
    }),
    await startDepositIngest(pipeline, { depositDeadlineMs: 600_000 }),
  ];
  return {
    pipeline,
    close: async () => {
      for (const service of services.toReversed()) await service.stop();
      await pipeline.close();
      await database.stop();
      upstream.disconnect();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
