import { randomBytes, randomUUID } from 'node:crypto';
import { createRiskStore } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import { mayMigrate, type Pool } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';
import type { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { createChainDataMetrics } from './chain-data.ts';
import type { RiskApiSettings } from './config.ts';
import { tellingOutages } from './database.ts';
import { createRiskApp } from './http/app.ts';
import { createRequestMetrics } from './http/metrics.ts';
import type { Description, ServedSurface } from './http/operation.ts';
import { createReadiness } from './readiness.ts';
import type { ReportUrl } from './reports/query.ts';
import { createReports } from './reports/reports.ts';
import { openRunQueue } from './runs/queue.ts';
import { RunRecords } from './runs/runs.ts';
import { Tasks } from './runs/tasks.ts';
import { scoreSubject, work } from './runs/work.ts';
import { migrateRiskApi } from './schema/migrations.ts';
import { Watches } from './score-changes/watches.ts';
import { openPaySurface } from './surfaces/paid/open.ts';
import { sandboxReport } from './surfaces/sandbox/report.ts';
import { sandboxSurface } from './surfaces/sandbox/surface.ts';
import { sandboxTargets } from './surfaces/sandbox/targets.ts';
import { standardSurface } from './surfaces/standard/surface.ts';
import { startUpkeep } from './upkeep.ts';

export interface RiskApiDependencies {
  readonly pool: Pool;
  /** The same database. Without Redis the queue has two connections of its own, and one that listens. */
  readonly databaseUrl: string;
  /** Redis of the run queue; empty: the queue is in the database. */
  readonly redisUrl?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: RiskApiSettings;
  readonly random?: (bytes: number) => Buffer;
}

export interface RiskApi {
  readonly app: Hono;
  appOf(surfaces: readonly ServedSurface[]): Hono;
  /** Every call of every surface, enabled or not. */
  readonly descriptions: readonly Description[];
  /** Stops accepting work, waits for work in progress, and closes the queue. The caller closes the pool. */
  stop(): Promise<void>;
  ready(): Promise<boolean>;
}

/** Migrates the schema and starts the workers. The caller listens. */
export async function createRiskApi(deps: RiskApiDependencies): Promise<RiskApi> {
  const { pool, databaseUrl, redisUrl = '', clock, logger, registry, settings, random = randomBytes } = deps;
  await migrateRiskApi(pool);
  const db = tellingOutages(pool);
  const metrics = createRequestMetrics(registry);
  const records = new RunRecords(db);
  const tasks = new Tasks({ records, clock, logger, settings, random, newRunId: randomUUID });
  const watches = new Watches({ db, clock, settings });
  const store = createRiskStore(db);
  const carryOut = async (runId: string): Promise<void> => {
    let outcome: string = 'again';
    try {
      outcome = await work({ records, store, clock, logger, ...settings }, runId);
    } finally {
      metrics.runs.inc({ outcome });
      tasks.ended(runId);
    }
  };
  const queue = await openRunQueue({
    databaseUrl,
    mayMigrate: await mayMigrate(pool),
    redisUrl,
    clock,
    logger,
    concurrency: settings.workers,
    work: carryOut,
  });
  tasks.use(queue);
  const stopping = new AbortController();
  const upkeep = startUpkeep({ pool, db, tasks, clock, logger, registry, settings, signal: stopping.signal });
  createChainDataMetrics(registry, db, settings);
  const { ready, ...readiness } = createReadiness({ db, queue, clock, settings });
  const reports = createReports({
    db,
    clock,
    logger,
    random,
    settings,
    assess: (subject, atMs) => scoreSubject(store, subject, atMs),
    sandbox: sandboxReport,
  });
  const reportUrl: ReportUrl = (query, origin) => reports.url(query, origin);
  const on = settings.surfaces.split(',');
  const parts = { db, store, clock, tasks, watches, reportUrl };
  const paidParts = { ...parts, logger, registry, settings, random, isOn: on.includes('x402') };
  const paid = await openPaySurface(paidParts).catch(async (error: unknown) => {
    stopping.abort();
    await upkeep;
    await queue.close();
    throw error;
  });
  const surfaces = [standardSurface(parts), sandboxSurface(parts), paid.surface];
  const appOf = (served: readonly string[]): Hono =>
    createRiskApp({
      clock,
      logger,
      registry,
      metrics,
      ...readiness,
      reports,
      targets: sandboxTargets,
      publicUrl: settings.publicUrl,
      surfaces: surfaces.filter(({ name }) => on.includes(name) && served.includes(name)),
    });
  return {
    app: appOf(on),
    appOf,
    descriptions: surfaces.flatMap(({ operations, pages }) => [...operations, ...pages]),
    ready,
    stop: async () => {
      stopping.abort();
      await paid.stop();
      await upkeep;
      await queue.close();
    },
  };
}
