import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '@weir/clock';
import { migrate, type Pool, type Queryable } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';
import type { Hono } from 'hono';
import type { Registry } from 'prom-client';
import { tellingOutages } from './database.ts';
import { createRiskStore } from './facts/store.ts';
import { createRiskApp } from './http/app.ts';
import { createRequestMetrics } from './http/metrics.ts';
import { sandboxOperations } from './http/sandbox.ts';
import { standardOperations } from './http/standard.ts';
import { riskApiMigrations, riskApiModule } from './migrations.ts';
import { openRunQueue } from './tasks/queue.ts';
import { RunRecords } from './tasks/runs.ts';
import { Tasks, type TaskSettings } from './tasks/tasks.ts';

export interface RiskApiSettings extends TaskSettings {
  /** Scores computed at once in this process; 0: none. */
  readonly workers: number;
  /** How often lost runs are handed out again and old records swept. */
  readonly maintenanceMs: number;
}

export const defaultSettings: RiskApiSettings = {
  scoreCacheMs: 3_600_000,
  taskRetentionMs: 86_400_000,
  requeueAfterMs: 5_000,
  workers: 4,
  maintenanceMs: 60_000,
};

export interface RiskApiDependencies {
  readonly pool: Pool;
  /** Of the same database; the queue keeps two connections of its own and one that listens. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: RiskApiSettings;
  readonly random?: (bytes: number) => Buffer;
}

export interface RiskApi {
  readonly app: Hono;
  /** Takes no more work, waits for what is under way, and lets go of the queue. The pool is the caller's. */
  stop(): Promise<void>;
  ready(): Promise<boolean>;
}

/** Brings the schema up to date, starts the workers, and returns the app; what listens is the caller's. */
export async function createRiskApi(deps: RiskApiDependencies): Promise<RiskApi> {
  const { pool, databaseUrl, clock, logger, registry, settings, random = randomBytes } = deps;
  await migrate(pool, riskApiModule, riskApiMigrations);
  const db = tellingOutages(pool);
  const metrics = createRequestMetrics(registry);
  const tasks = new Tasks({ records: new RunRecords(db), clock, logger, settings, random, newRunId: randomUUID });
  const store = createRiskStore(db);
  const work = async (runId: string): Promise<void> => {
    try {
      await tasks.work(store, runId);
      metrics.runs.inc({ outcome: 'done' });
    } catch (error) {
      metrics.runs.inc({ outcome: 'failed' });
      throw error;
    }
  };
  const queue = await openRunQueue({ databaseUrl, clock, logger, concurrency: settings.workers, work });
  tasks.use(queue);
  const stopping = new AbortController();
  const upkeep = keepUp(tasks, { clock, logger, everyMs: settings.maintenanceMs, signal: stopping.signal });
  const ready = (): Promise<boolean> => isReachable(db, clock);
  const operations = [...standardOperations(tasks), ...sandboxOperations(clock)];
  const away = async (): Promise<string[]> => ((await ready()) ? [] : ['database']);
  return {
    app: createRiskApp({ db, clock, logger, registry, metrics, operations, away }),
    ready,
    stop: async () => {
      stopping.abort();
      await upkeep;
      await queue.close();
    },
  };
}

/** At once, for what an earlier process left, and then from time to time. */
async function keepUp(tasks: Tasks, options: { clock: Clock; logger: Logger; everyMs: number; signal: AbortSignal }): Promise<void> {
  const { clock, logger, everyMs, signal } = options;
  while (!signal.aborted) {
    await tasks.maintain().catch((error: unknown) => logger.warn({ err: error }, 'upkeep failed; it will be tried again'));
    await clock.sleep(everyMs, signal);
  }
}

const readyLimitMs = 2_000;

async function isReachable(db: Queryable, clock: Clock): Promise<boolean> {
  const done = new AbortController();
  const asked = db.query('SELECT 1').then(
    () => true,
    () => false,
  );
  const late = clock.sleep(readyLimitMs, done.signal).then(() => false);
  return Promise.race([asked, late]).finally(() => done.abort());
}
