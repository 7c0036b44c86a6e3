import { randomBytes, randomUUID } from 'node:crypto';
import { createRiskStore } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import { watchAddedCoins } from '@weir/coin-store';
import type { Pool, Queryable } from '@weir/postgres';
import type { Assessment, RiskStore } from '@weir/risk-engine';
import { createMetrics, Jobs, type Logger, measurePool, type Metrics } from '@weir/service-kit';
import { inSpan } from '@weir/tracing';
import type { Hono } from 'hono';
import { createChainDataMetrics } from './chain-data.ts';
import type { RiskApiSettings } from './config.ts';
import { tellingOutages } from './database.ts';
import { createRiskApp } from './http/app.ts';
import { createRequestMetrics, type RequestMetrics } from './http/metrics.ts';
import type { Description, ServedSurface } from './http/operation.ts';
import { createReadiness } from './readiness.ts';
import type { ReportUrl } from './reports/query.ts';
import { createReports } from './reports/reports.ts';
import { Turns } from './reports/turns.ts';
import { createListMetrics } from './lists/metrics.ts';
import { openRunQueue, type RunQueue } from './runs/queue.ts';
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
import type { Subject } from './subject.ts';
import { startUpkeep } from './upkeep.ts';

export interface RiskApiDependencies {
  readonly pool: Pool;
  /** Redis of the run queue; empty: runs wait in the database. */
  readonly redisUrl?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of its process; default: of its own. */
  readonly metrics?: Metrics;
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
  const { pool, clock, logger, metrics = createMetrics(), settings, random = randomBytes } = deps;
  const { registry } = metrics;
  measurePool(metrics, pool);
  await migrateRiskApi(pool);
  const coins = await watchAddedCoins({
    pool,
    clock,
    onError: (err) => logger.warn({ err }, 'added coins could not be read; trying again'),
  });
  const db = tellingOutages(pool);
  const requestMetrics = createRequestMetrics(metrics);
  const store = createRiskStore(db);
  const { tasks, queue } = await openRuns({ ...deps, random }, { db, store, metrics: requestMetrics });
  const stopping = new AbortController();
  const jobs = new Jobs({ db: pool, clock, logger, registry });
  const upkeep = startUpkeep({ pool, db, store, tasks, jobs, clock, logger, registry, settings, signal: stopping.signal });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await upkeep;
    await queue.close();
    await coins.stop();
  };
  createChainDataMetrics(registry, db, settings);
  createListMetrics(registry, db, clock, settings);
  const { ready, ...readiness } = createReadiness({ db, queue, clock, settings });
  const assess = (subject: Subject, atMs: number): Promise<Assessment> => scoreSubject(store, subject, atMs);
  const reports = createReports({ db, clock, logger, random, settings, assess, sandbox: sandboxReport });
  const enabled = settings.surfaces.split(',');
  const reportUrl: ReportUrl = (query, origin) => reports.url(query, origin);
  const parts = { db, store, clock, tasks, watches: new Watches({ db, clock, settings }), reportUrl, traces: tracesOf(clock, settings) };
  const paidParts = { ...parts, jobs, logger, registry, settings, random, isOn: enabled.includes('x402') };
  const paid = await openPaySurface(paidParts).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const surfaces = [standardSurface(parts), sandboxSurface(parts), paid.surface];
  const appOf = (served: readonly string[]): Hono => {
    const chosen = surfaces.filter(({ name }) => enabled.includes(name) && served.includes(name));
    return createRiskApp({
      clock,
      logger,
      metrics: requestMetrics,
      expose: (accept) => metrics.expose(accept),
      ...readiness,
      reports,
      targets: sandboxTargets,
      publicUrl: settings.publicUrl,
      surfaces: chosen,
    });
  };
  return {
    app: appOf(enabled),
    appOf,
    descriptions: [...surfaces.flatMap(({ operations, pages }) => [...operations, ...pages]), ...reports.pages],
    ready,
    stop: async () => {
      stopping.abort();
      await paid.stop();
      await stop();
    },
  };
}

/** Each may read as much as a score, while its caller waits. */
function tracesOf(clock: Clock, { workers, syncWaitMs }: RiskApiSettings): Turns {
  const atOnce = Math.max(workers, 1);
  return new Turns({ clock, atOnce, waiting: 10 * atOnce, limitMs: syncWaitMs });
}

/** The tasks and the queue of their runs, which this process works off. */
async function openRuns(
  deps: RiskApiDependencies & { readonly random: (bytes: number) => Buffer },
  { db, store, metrics }: { db: Queryable; store: RiskStore; metrics: RequestMetrics },
): Promise<{ tasks: Tasks; queue: RunQueue }> {
  const { redisUrl = '', clock, logger, settings, random } = deps;
  const records = new RunRecords(db);
  const tasks = new Tasks({ records, clock, logger, settings, random, newRunId: randomUUID });
  const carryOut = async (runId: string): Promise<void> => {
    let outcome: string = 'again';
    try {
      const of = {
        service: 'risk-api',
        name: 'process risk-runs',
        kind: 'consumer',
        attributes: { 'messaging.message.id': runId },
      } as const;
      outcome = await inSpan(of, () => work({ records, store, clock, logger, ...settings }, runId));
    } finally {
      metrics.runs.inc({ outcome });
      tasks.ended(runId);
    }
  };
  const queue = await openRunQueue({
    redisUrl,
    clock,
    logger,
    concurrency: settings.workers,
    work: carryOut,
    waiting: (limit) => records.waiting({ deadBefore: new Date(clock.now() - settings.requeueAfterMs), limit }),
  });
  tasks.use(queue);
  return { tasks, queue };
}
