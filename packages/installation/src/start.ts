import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChainFollower } from '@weir/chain-follower';
import { type Clock, systemClock } from '@weir/clock';
import { databaseError, openPool, PostgresError, setBackupFolder, startEmbeddedPostgres, urlOfRole } from '@weir/postgres';
import { closedRiskApp, createRiskApi, keepListsFresh, keepRequestsApplied, type RiskApi } from '@weir/risk-api';
import {
  baseSchema,
  combinedRoles,
  ConfigError,
  createDescribedApp,
  createLogger,
  loggerOf,
  createMetrics,
  environmentOf,
  isRestored,
  Jobs,
  kafkaTier,
  ListenError,
  listSettings,
  type Logger,
  type Metrics,
  type OpenPipeline,
  openPipeline,
  pipelineRole,
  recordSettings,
  restoredDetail,
  roleOf,
  type Schema,
  type RunningServer,
  type ServeOptions,
  type Service,
  serve,
  tracingOptions,
  untilRestored,
} from '@weir/service-kit';
import { startTracing } from '@weir/tracing';
import { closeIfForgotten } from '@weir/withdrawal-gate';
import { faultsOfSettings } from './check-settings.ts';
import { startStages } from './compose.ts';
import { ensureCredentials } from './credentials.ts';
import type { Credentials } from './credentials-file.ts';
import { asOwner } from './database.ts';
import { Front } from './front.ts';
import { migrateDatabase } from './migrate.ts';
import { ensurePermitKeySecret } from './permit-key-secret.ts';
import { keepErasing } from './privacy/retention.ts';
import { announce } from './running.ts';
import { startProcesses } from './processes.ts';
import { auditDirOf, permitJournalOf } from './places.ts';
import { installationSchema, type InstallationSettings, type PipelineSettings, pipelineSchema } from './settings.ts';

/** All services on one machine, in this process, and PostgreSQL. */
export interface Installation {
  /** With the privileges of the pipeline's services. */
  readonly pipeline: OpenPipeline;
  /** URL of the database owner with the password; never log it. */
  readonly ownerUrl: string;
  readonly credentials: Credentials;
  readonly url: string;
  readonly riskUrl: string;
  /** Rejects when the embedded PostgreSQL exits. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

/** Every part gets this. A part adds to `undo` how it is stopped; the last runs first. */
interface Start {
  readonly settings: InstallationSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal | undefined;
  readonly undo: (() => Promise<unknown>)[];
}

interface Database {
  readonly url: string;
  readonly failed: Promise<never>;
}

/** Connections; each costs PostgreSQL some megabytes. */
const poolSizes = { pipeline: 8, riskApi: 4, lists: 4, retention: 2, chains: 4 };
/** How long the audit log may take to get an act. */
const retentionWaitMs = 60_000;
/** Of the embedded database: for one process with the commands beside it, and for each further one. */
const connections = { first: 60, further: 12 };
/** Services of a transfer's path, in further processes. */
const pathStages = ['deposit-ingest', 'scoring', 'decision'];

/** Starts every service. A failure stops what was started, and is thrown. `signal` ends the wait of a restored database. */
export async function startInstallation(
  settings: InstallationSettings,
  { clock = systemClock, signal }: { clock?: Clock; signal?: AbortSignal } = {},
): Promise<Installation> {
  const logger = createLogger({ service: 'weir', level: settings.logLevel });
  const start: Start = { settings, clock, logger, metrics: createMetrics(), signal, undo: [] };
  const stop = async (): Promise<void> => {
    for (const step of start.undo.splice(0).toReversed())
      await step().catch((err: unknown) => logger.warn({ err }, 'could not stop in order'));
  };
  try {
    return { ...(await assemble(start)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(start: Start): Promise<Omit<Installation, 'stop'>> {
  const { settings, clock, logger, undo } = start;
  const [fault] = await faultsOfSettings(settings, clock);
  if (fault !== undefined) throw fault.error;
  const tracing = await startTracing(tracingOptions(settings), clock);
  undo.push(() => tracing.stop());
  // Ports first, so that a port in use fails before anything else starts.
  const { front, riskFront, url, riskUrl } = await openPorts(start);
  const database = await openDatabase(start);
  await migrateDatabase(database.url, { clock, logger, combined: combinedRoles }).catch((error: unknown) =>
    namedForSetting(settings.databaseUrl !== '', error),
  );
  const riskApi = await openRiskApi(start, database.url);
  if (settings.databaseUrl !== '') mkdirSync(settings.dataDir, { recursive: true });
  const credentials = await asOwner(database.url, async (pool) => {
    await recordSettings(pool, { name: 'weir', settings: listSettings(installationSchema, settings), clock });
    return ensureCredentials(pool, { file: join(settings.dataDir, 'dev-credentials.json'), name: 'dev', random: randomBytes });
  });
  startLists(start, database.url);
  riskFront.open(riskApi.app);
  const permitJournal = permitJournalOf(settings);
  await untilOpen(start, { ownerUrl: database.url, permitJournal, front });
  const own = { upstreamUrl: riskUrl, upstreamApiKey: credentials.standard_api_key, upstreamKeyIn: 'header' as const };
  const complete = { ...settings, permitJournal, ...(settings.upstreamUrl === '' ? own : {}) };
  const { app, pipeline } = await openServices({ ...start, settings: complete }, database.url);
  startRetention(start, database.url);
  await openProcesses({ ...start, settings: complete }, database.url, Number(new URL(url).port));
  front.open(app);
  undo.push(async () => front.shut());
  const withdraw = announce(settings.dataDir, url, riskUrl);
  undo.push(async () => withdraw());
  return { pipeline, ownerUrl: database.url, credentials, url, riskUrl, failed: database.failed };
}

/** Both ports answer 503 until their app is open. */
async function openPorts({ settings, undo }: Start) {
  const front = new Front();
  const riskFront = new Front(closedRiskApp);
  const listen = async (to: Front, options: ServeOptions): Promise<RunningServer> => {
    const server = await serve(to, options);
    undo.push(() => server.close());
    return server;
  };
  const server = await listen(front, settings);
  const riskServer = await listen(riskFront, { ...settings, port: settings.port === 0 ? 0 : settings.port + 100 }).catch(namedForRiskApi);
  return { front, riskFront, url: `http://${settings.host}:${server.port}`, riskUrl: `http://${settings.host}:${riskServer.port}` };
}

/** The database of DATABASE_URL, or the embedded one in the data folder. */
async function openDatabase({ settings, clock, undo }: Start): Promise<Database> {
  if (settings.databaseUrl !== '') return { url: settings.databaseUrl, failed: new Promise(() => undefined) };
  if (settings.backupDir !== '') setBackupFolder(settings.dataDir, settings.backupDir);
  const server = await startEmbeddedPostgres({
    dataDir: settings.dataDir,
    clock,
    maxConnections: connections.first + connections.further * (settings.processes - 1),
  });
  let stopping = false;
  undo.push(() => {
    stopping = true;
    return server.stop();
  });
  const failed = server.ended.then(() => {
    if (stopping) return new Promise<never>(() => undefined);
    throw new Error(`the embedded PostgreSQL stopped unexpectedly; see postgres.log in ${settings.dataDir}`);
  });
  failed.catch(() => undefined);
  return { url: server.url, failed };
}

async function openRiskApi({ settings, clock, logger: shared, undo }: Start, ownerUrl: string): Promise<RiskApi> {
  const logger = loggerOf(shared, 'risk-api');
  const databaseUrl = urlOfRole(ownerUrl, roleOf('risk-api'));
  const pool = openPool({ url: databaseUrl, max: poolSizes.riskApi, onError: (err) => logger.warn({ err }, 'database') });
  undo.push(() => pool.end());
  const { redisUrl } = settings;
  const riskApi = await createRiskApi({ pool, redisUrl, clock, logger, settings });
  undo.push(() => riskApi.stop());
  return riskApi;
}

/** While the database is restored and not reconciled, the pipeline answers 503 and does no work. */
async function untilOpen(
  { clock, logger, signal }: Start,
  { ownerUrl, permitJournal, front }: { ownerUrl: string; permitJournal: string; front: Front },
): Promise<void> {
  await asOwner(ownerUrl, async (pool) => {
    await closeIfForgotten(pool, permitJournal);
    if (!(await isRestored(pool))) return;
    logger.error(restoredDetail);
    front.wait('NOT_RECONCILED', restoredDetail);
    const never = new AbortController().signal;
    await untilRestored(pool, false, { clock, signal: signal ?? never });
    if (signal?.aborted === true) throw new Error(`stopped; ${restoredDetail}`);
  });
}

/** Only the owner of the database may store labels: of published lists, and those that two people agreed on. */
function startLists({ settings, clock, logger, undo }: Start, ownerUrl: string): void {
  const pool = openPool({
    url: ownerUrl,
    max: poolSizes.lists,
    applicationName: 'weir lists',
    onError: (err) => logger.warn({ err }, 'database'),
  });
  const stopping = new AbortController();
  const options = { pool, clock, logger, signal: stopping.signal };
  const keeping = Promise.all([keepListsFresh({ ...options, settings }), keepRequestsApplied(options)]);
  undo.push(async () => {
    stopping.abort();
    await keeping;
    await pool.end();
  });
}

/** Its role alone may store transfers. Undefined: no chain is to be followed. */
async function startFollower(
  { settings, clock, logger: shared, metrics, undo }: Start,
  ownerUrl: string,
  { log, codec }: Pick<OpenPipeline, 'log' | 'codec'>,
): Promise<Service | undefined> {
  if (settings.chainNodes === '') return undefined;
  const logger = loggerOf(shared, 'chain-follower');
  const onError = (err: unknown): void => logger.warn({ err }, 'database');
  const url = urlOfRole(ownerUrl, roleOf('chain-follower'));
  const pool = openPool({ url, max: poolSizes.chains, applicationName: 'weir chains', onError });
  undo.push(() => pool.end());
  const follower = await startChainFollower({ pool, log, codec, clock, logger, metrics }, settings);
  undo.push(() => follower.stop());
  return follower;
}

/** Only the owner of the database may erase. */
function startRetention({ settings, clock, logger, metrics, undo }: Start, ownerUrl: string): void {
  const onError = (err: unknown): void => logger.warn({ err }, 'database');
  const pool = openPool({ url: ownerUrl, max: poolSizes.retention, applicationName: 'weir retention', onError });
  const jobs = new Jobs({ db: pool, clock, logger, registry: metrics.registry });
  const stopping = new AbortController();
  const of = { pool, clock, signal: stopping.signal, waitMs: retentionWaitMs };
  const erasing = keepErasing(of, { days: settings.retentionDecisionsDays, jobs });
  undo.push(async () => {
    stopping.abort();
    await erasing;
    await pool.end();
  });
}

/** The services of the pipeline behind one app. They share one pool, one session and one client of the log, with the privileges of all of them. */
async function openServices(start: Start, ownerUrl: string) {
  const { settings, clock, logger, metrics, undo } = start;
  const { dataDir, retentionMs } = settings;
  const tier = kafkaTier(settings);
  const permitKeySecret = settings.permitKeySecret === '' ? ensurePermitKeySecret(dataDir, randomBytes) : settings.permitKeySecret;
  const databaseUrl = urlOfRole(ownerUrl, pipelineRole);
  const shared = { databaseUrl, tier, clock, logger, metrics, retentionMs, access: settings };
  const pipeline = await openPipeline({ ...shared, poolSize: poolSizes.pipeline });
  undo.push(() => pipeline.close());
  pipeline.startJobs('pipeline');
  const service = await startStages(pipeline, {
    ...settings,
    permitKeySecret,
    auditDir: auditDirOf(settings),
  });
  undo.push(() => service.stop());
  const follower = await startFollower(start, ownerUrl, pipeline);
  const health = {
    ...service,
    warnings: () => [...pipeline.access.warnings(), ...(service.warnings?.() ?? []), ...(follower?.warnings?.() ?? [])],
    unavailable: () => pipeline.unavailable(),
    expose: (accept?: string) => metrics.expose(accept),
  };
  pipeline.readiness.set('weir', health);
  return {
    app: createDescribedApp({ clock, logger, metrics, operations: service.operations ?? [], health, pages: service.pages }),
    pipeline,
  };
}

async function openProcesses({ settings, clock, logger, undo }: Start, ownerUrl: string, port: number): Promise<void> {
  const schema = { ...baseSchema, ...pipelineSchema } as Schema<PipelineSettings>;
  const shared = {
    ...process.env,
    ...environmentOf(schema, { ...settings, databaseUrl: urlOfRole(ownerUrl, pipelineRole), stages: pathStages.join(',') }),
  };
  const environments = Array.from({ length: settings.processes - 1 }, (_, n) => ({ ...shared, WEIR_PORT: String(port + n + 1) }));
  if (environments.length === 0) return;
  const processes = await startProcesses({ environments, clock, logger });
  undo.push(() => processes.stop());
}

/** Names the source of this port, which derives from the configured one. */
function namedForRiskApi(error: unknown): never {
  if (!(error instanceof ListenError)) throw error;
  throw new ListenError(error.code, `${error.message} (the risk API listens on port + 100)`, { cause: error });
}

/** Names the setting of a database that cannot be reached. */
function namedForSetting(chosen: boolean, error: unknown): never {
  const known = databaseError(error);
  if (chosen && known instanceof PostgresError)
    throw new ConfigError(`setting DATABASE_URL is wrong, or its server cannot be reached: ${known.message}`);
  throw error;
}
