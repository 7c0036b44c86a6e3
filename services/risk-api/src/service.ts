import { randomBytes, randomUUID } from 'node:crypto';
import { type ChainDataSettings, createRiskStore, readChainData } from '@weir/chain-store';
import { type Clock, repeat, within } from '@weir/clock';
import { mayMigrate, type Pool, type Queryable } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';
import type { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { createChainDataMetrics, defaultChainDataSettings } from './chain-data.ts';
import { createChangeMetrics } from './score-changes/metrics.ts';
import { ChangeProcessor, keepTelling } from './score-changes/processor.ts';
import { ChangesSweep } from './score-changes/sweep.ts';
import { Watches, type WatchSettings } from './score-changes/watches.ts';
import { tellingOutages } from './database.ts';
import { createRiskApp } from './http/app.ts';
import { createRequestMetrics } from './http/metrics.ts';
import type { Description, ServedSurface } from './http/operation.ts';
import type { ReportUrl } from './reports/query.ts';
import { migrateRiskApi } from './schema/migrations.ts';
import { openPaySurface } from './surfaces/paid/open.ts';
import { defaultPaySettings, type PaySettings } from './payments/settings.ts';
import { createReports, defaultReportSettings, type ReportSettings } from './reports/reports.ts';
import { sandboxReport } from './surfaces/sandbox/report.ts';
import { sandboxSurface } from './surfaces/sandbox/surface.ts';
import { sandboxTargets } from './surfaces/sandbox/targets.ts';
import { standardSurface } from './surfaces/standard/surface.ts';
import { openRunQueue } from './runs/queue.ts';
import { RunRecords } from './runs/runs.ts';
import { Tasks, type TaskSettings } from './runs/tasks.ts';
import { scoreSubject, work } from './runs/work.ts';

export interface RiskApiSettings extends TaskSettings, WatchSettings, ReportSettings, PaySettings, ChainDataSettings {
  /** 0: this process computes no scores. */
  readonly workers: number;
  readonly scoreLimitMs: number;
  /** Period in which lost runs are enqueued again and old records swept. */
  readonly maintenanceMs: number;
  /** Comma-separated surfaces. */
  readonly surfaces: string;
  /** `host:port` of the sandbox's own listener; empty: none. */
  readonly sandboxListen: string;
  /** Public base URL; empty: the one that the caller used. */
  readonly publicUrl: string;
  /** Proxies whose `X-Forwarded-For` is trusted; shared by every service. */
  readonly trustedProxies: string;
}

export const defaultSettings: RiskApiSettings = {
  ...defaultReportSettings,
  ...defaultPaySettings,
  ...defaultChainDataSettings,
  scoreCacheMs: 3_600_000,
  taskRetentionMs: 86_400_000,
  requeueAfterMs: 5_000,
  scoreLimitMs: 60_000,
  syncWaitMs: 25_000,
  watchMs: 7_776_000_000,
  workers: 4,
  maintenanceMs: 60_000,
  surfaces: 'standard,sandbox,x402',
  sandboxListen: '',
  publicUrl: '',
  trustedProxies: '',
};

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
  const { signal } = stopping;
  const changes = new ChangesSweep(pool);
  const maintain = async (): Promise<void> => {
    await tasks.maintain();
    await changes.sweep({ askedBefore: new Date(clock.now() - settings.watchMs), limit: sweepLimit });
  };
  const changeMetrics = createChangeMetrics(registry, db);
  createChainDataMetrics(registry, db, settings);
  const onTold = (told: number): void => changeMetrics.told.inc(told);
  const processor = new ChangeProcessor({ pool, clock, clocksAgreeMs: settings.requeueAfterMs, onTold });
  const upkeep = Promise.all([
    keepUp(maintain, { clock, logger, everyMs: settings.maintenanceMs, signal }),
    keepTelling(processor, { clock, logger, signal }),
  ]);
  const ready = (): Promise<boolean> => isReachable(db, clock);
  const unavailable = async (): Promise<string[]> => ((await ready()) ? [] : ['database']);
  const degraded = async (): Promise<string[]> => ((await queue.isAway()) ? ['redis'] : []);
  const warnings = async (): Promise<readonly string[]> => {
    const read = readChainData(db, settings).then((status) => status.warnings);
    // While the database is unavailable, readiness reports nothing else.
    return orWhenAway(read, [], clock);
  };
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
      unavailable,
      degraded,
      warnings,
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

const sweepLimit = 5_000;

/** Also at start, for the remains of an earlier process. */
async function keepUp(
  maintain: () => Promise<void>,
  options: { clock: Clock; logger: Logger; everyMs: number; signal: AbortSignal },
): Promise<void> {
  const { clock, logger, everyMs, signal } = options;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'upkeep failed; it will be tried again');
  await repeat({ clock, every: everyMs, signal, onError }, maintain);
}

const readyLimitMs = 2_000;

async function isReachable(db: Queryable, clock: Clock): Promise<boolean> {
  const asked = db.query('SELECT 1').then(() => true);
  return orWhenAway(asked, false, clock);
}

async function orWhenAway<T>(asked: Promise<T>, instead: T, clock: Clock): Promise<T> {
  const answer = asked.catch(() => instead);
  return within(clock, readyLimitMs, answer, { late: () => instead });
}
