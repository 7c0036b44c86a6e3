import type { Clock } from '@weir/clock';
import { coinMigrations, coinModule, watchAddedCoins } from '@weir/coin-store';
import { Codec, topicSpecs } from '@weir/contracts';
import { type EventLog, EventLogError, eventLogMigrations, openPostgresLog, type PostgresLogOptions, trimLog } from '@weir/event-log';
import { mayMigrate, type Migration, migrate, openPool, openSession, type Pool, type Session, sessionMigrations } from '@weir/postgres';
import type { Hono } from 'hono';
import { Access, type Callers } from './access/guard.ts';
import type { AccessSettings } from './access/settings.ts';
import { Readiness } from './api/health.ts';
import type { Operation } from './api/operation.ts';
import type { KafkaTier } from './kafka-connection.ts';
import { keepOffsets, offsetsEveryMs } from './group-offsets.ts';
import { jobMigrations, jobModule } from './job-rows.ts';
import { Jobs } from './jobs.ts';
import { isKafkaAway, openKafkaTier } from './kafka-tier.ts';
import type { Logger } from './logger.ts';
import { createMetrics, measurePool, type Metrics } from './metrics.ts';
import { accessMigrations, outboxMigrations, schemaMigrations } from './migrations.ts';
import { trimOutbox } from './outbox-trim.ts';
import { Stages } from './stages.ts';
import { recoveryMigrations } from './recovery.ts';
import { registrySchemaIds } from './registry-schema-ids.ts';
import { postgresSchemaIds } from './schema-ids.ts';

export interface Pipeline {
  readonly pool: Pool;
  readonly session: Session;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly jobs: Jobs;
  readonly access: Callers;
  /** The stages of this process. */
  readonly stages: Stages;
  /** Consumer groups of this process. */
  readonly groups: Set<string>;
  readonly readiness: Readiness;
}

export interface Service {
  /** Its HTTP API; on the embedded tier all services share one server. */
  readonly operations?: readonly Operation[];
  /** Pages for people, which no description lists. */
  readonly pages?: Hono;
  /** Its own unreachable dependencies, besides the shared ones. */
  unavailable?(): Promise<readonly string[]>;
  /** Unreachable dependencies that it can do without. */
  degraded?(): Promise<readonly string[]>;
  /** Releases waiting callers before the server closes. */
  drain?(): void;
  /** Problems that do not affect its work, for `/readyz`. */
  warnings?(): readonly string[];
  stop(): Promise<void>;
}

export interface OpenPipeline extends Pipeline {
  readonly access: Access;
  unavailable(): Promise<readonly string[]>;
  /** Starts the jobs that every service has. Not before `weir reconcile` has compared what was restored: they delete what it reads. */
  startJobs(service: string): void;
  close(): Promise<void>;
}

const housekeepingMs = { least: 60_000, most: 3_600_000 };

/** Within the retention, so that nothing stays for more than twice as long; hourly for a long one. */
function housekeepingEveryMs(retentionMs: number): number {
  return Math.min(Math.max(retentionMs, housekeepingMs.least), housekeepingMs.most);
}

/** State is in PostgreSQL on both tiers. The owner migrates the schema; for others it must be up to date. See `migrate`. */
export async function openPipeline(options: {
  databaseUrl: string;
  /** Absent: log and schemas are in the database. */
  tier?: KafkaTier | undefined;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics;
  /** Absent settings have their defaults: stored tokens alone. */
  access?: Partial<AccessSettings> | undefined;
  poolSize?: number;
  /** `weir doctor` finds a service's connections by it. */
  applicationName?: string;
  /** How long fully read records and published events stay. */
  retentionMs: number;
}): Promise<OpenPipeline> {
  const { clock, logger } = options;
  const onError = (error: unknown): void => {
    if (error instanceof EventLogError && error.code === 'LOG_GAP')
      logger.error({ err: error }, 'a partition of the log is not read any more');
    else logger.warn({ err: error }, 'background work failed; it will be tried again');
  };
  const { databaseUrl: url, applicationName = 'weir' } = options;
  const pool = openPool({ url, applicationName, max: options.poolSize ?? 8, onError });
  const closing: (() => Promise<void>)[] = [() => pool.end()];
  const close = async (): Promise<void> => {
    for (const closeOne of closing.splice(0).toReversed()) await closeOne();
  };
  try {
    const metrics = options.metrics ?? createMetrics();
    measurePool(metrics, pool);
    const access = new Access({ db: pool, clock, logger, metrics, settings: options.access });
    await migrateAll(pool);
    const coins = await watchAddedCoins({ pool, clock, onError });
    closing.push(() => coins.stop());
    const session = await openSession({ url, applicationName, clock, onError });
    closing.push(() => session.close());
    const log = await openLog(options.tier, { pool, session, clock, onError });
    closing.push(() => log.close());
    const codec = await Codec.open(options.tier === undefined ? postgresSchemaIds(pool) : registrySchemaIds(options.tier.registry));
    const stop = new AbortController();
    const jobs = new Jobs({ db: pool, clock, logger, registry: metrics.registry });
    const kafka = options.tier === undefined ? undefined : log;
    const groups = new Set<string>();
    const running: Promise<void>[] = [];
    const start = (service: string): void =>
      void running.push(...startJobs(jobs, { service, pool, groups, kafka, retentionMs: options.retentionMs, signal: stop.signal }));
    closing.push(async () => {
      stop.abort();
      await Promise.all(running);
    });
    const stages = new Stages();
    const own = { pool, session, log, codec, clock, logger, metrics, jobs, access, stages, groups, readiness: new Readiness() };
    return { ...own, unavailable: () => unavailable(pool, kafka), startJobs: start, close };
  } catch (error) {
    // Open parts would keep the process alive.
    await close().catch(onError);
    throw error;
  }
}

/** Of the modules that every installation has, in order. */
export const sharedMigrations: Readonly<Record<string, readonly Migration[]>> = {
  session: sessionMigrations,
  recovery: recoveryMigrations,
  [jobModule]: jobMigrations,
  access: accessMigrations,
  schemas: schemaMigrations,
  outbox: outboxMigrations,
  [coinModule]: coinMigrations,
  'event-log': eventLogMigrations,
};

async function migrateAll(pool: Pool): Promise<void> {
  for (const [module, steps] of Object.entries(sharedMigrations)) await migrate(pool, module, steps);
}

async function openLog(tier: KafkaTier | undefined, options: PostgresLogOptions): Promise<EventLog> {
  if (tier !== undefined) return openKafkaTier(tier, options.clock, (error) => options.onError?.(error));
  const log = openPostgresLog(options);
  try {
    if (await mayMigrate(options.pool)) await log.createTopics(topicSpecs);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function unavailable(pool: Pool, kafka: EventLog | undefined): Promise<readonly string[]> {
  const [isDatabaseAway, isLogAway] = await Promise.all([
    pool.query('SELECT 1').then(
      () => false,
      () => true,
    ),
    kafka !== undefined && isKafkaAway(kafka),
  ]);
  return [...(isDatabaseAway ? ['database'] : []), ...(isLogAway ? ['kafka'] : [])];
}

/** Of every service; each process runs them. */
function startJobs(
  jobs: Jobs,
  {
    service,
    pool,
    groups,
    kafka,
    retentionMs,
    signal,
  }: { service: string; pool: Pool; groups: ReadonlySet<string>; kafka: EventLog | undefined; retentionMs: number; signal: AbortSignal },
): Promise<void>[] {
  const trimming = { service, everyMs: housekeepingEveryMs(retentionMs), signal };
  return [
    jobs.repeat({ ...trimming, name: 'trim-log' }, async () => void (await trimLog(pool, retentionMs))),
    jobs.repeat({ ...trimming, name: 'trim-outbox' }, () => trimOutbox(pool, retentionMs)),
    ...(kafka === undefined
      ? []
      : [jobs.repeat({ service, name: 'group-offsets', everyMs: offsetsEveryMs, signal }, () => keepOffsets(pool, kafka, groups))]),
  ];
}
