import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import { type Clock, systemClock } from '@weir/clock';
import { startConsole } from '@weir/console';
import { startDecision } from '@weir/decision';
import { startDepositIngest } from '@weir/deposit-ingest';
import { databaseError, type EmbeddedPostgres, openPool, type Pool, PostgresError, startEmbeddedPostgres, urlOfRole } from '@weir/postgres';
import { createRiskApi } from '@weir/risk-api';
import { startScoring } from '@weir/scoring';
import {
  ConfigError,
  createApp,
  createLogger,
  createMetrics,
  type DatabaseUser,
  healthRoutes,
  kafkaTier,
  ListenError,
  type Logger,
  type OpenPipeline,
  openPipeline,
  roleOf,
  type RunningServer,
  type ServeOptions,
  type Service,
  serve,
} from '@weir/service-kit';
import { startWithdrawalGate } from '@weir/withdrawal-gate';
import { type Credentials, ensureCredentials } from '../keys/credentials.ts';
import { migrateDatabase } from '../migrate/database.ts';
import type { AllSettings } from '../settings.ts';
import { faultsOfSettings } from './check-settings.ts';
import { Front } from './front.ts';
import { ensurePermitKeySecret } from './permit-key-secret.ts';
import { announce } from './running.ts';

/** All services on one machine, in this process, and PostgreSQL. */
export interface Embedded {
  /** With the privileges of the console. */
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

/** Connections of each service; each costs PostgreSQL some megabytes. */
const poolSize = 4;

export async function startEmbedded(settings: AllSettings, clock: Clock = systemClock): Promise<Embedded> {
  const logger = createLogger({ service: 'weir', level: settings.logLevel });
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step().catch((err: unknown) => logger.warn({ err }, 'could not stop in order'));
  };
  try {
    return await assemble(settings, clock, logger, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  settings: AllSettings,
  clock: Clock,
  logger: Logger,
  undo: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Embedded> {
  const [fault] = await faultsOfSettings(settings, clock);
  if (fault !== undefined) throw fault.error;
  const tier = kafkaTier(settings);
  const front = new Front();
  const riskFront = new Front();
  // Ports first, so that a port in use fails before anything else starts.
  const server = await listen(front, settings, undo);
  const riskServer = await listen(riskFront, { ...settings, port: settings.port === 0 ? 0 : settings.port + 100 }, undo).catch(
    namedForRiskApi,
  );
  const url = `http://${settings.host}:${server.port}`;
  const riskUrl = `http://${settings.host}:${riskServer.port}`;

  const database = await openDatabase(settings, clock, undo);
  await migrateDatabase(database.url, { clock, logger, hasRedis: settings.redisUrl !== '' }).catch((error: unknown) =>
    namedForSetting(settings.databaseUrl !== '', error),
  );
  const metrics = createMetrics();
  // One process, but each service connects with its own role.
  const pipelines: OpenPipeline[] = [];
  const pipelineOf = async (service: DatabaseUser): Promise<OpenPipeline> => {
    const { retentionMs } = settings;
    const databaseUrl = urlOfRole(database.url, roleOf(service));
    const opened = await openPipeline({ databaseUrl, tier, clock, logger, metrics, poolSize, retentionMs, access: settings });
    undo.push(() => opened.close());
    pipelines.push(opened);
    return opened;
  };
  const riskDatabaseUrl = urlOfRole(database.url, roleOf('risk-api'));
  const riskPool = openPool({ url: riskDatabaseUrl, max: poolSize, onError: (err) => logger.warn({ err }, 'database') });
  undo.push(() => riskPool.end());
  const riskApi = await createRiskApi({
    pool: riskPool,
    databaseUrl: riskDatabaseUrl,
    redisUrl: settings.redisUrl,
    clock,
    logger,
    registry: metrics.registry,
    settings,
  });
  undo.push(() => riskApi.stop());
  if (settings.databaseUrl !== '') mkdirSync(settings.dataDir, { recursive: true });
  const permitKeySecret = settings.permitKeySecret === '' ? ensurePermitKeySecret(settings.dataDir, randomBytes) : settings.permitKeySecret;
  const credentials = await asOwner(database.url, (pool) =>
    ensureCredentials(pool, { file: join(settings.dataDir, 'dev-credentials.json'), name: 'dev', random: randomBytes }),
  );
  riskFront.open(riskApi.app);

  const upstream =
    settings.upstreamUrl === ''
      ? { ...settings, upstreamUrl: riskUrl, upstreamApiKey: credentials.standard_api_key, upstreamKeyIn: 'header' as const }
      : settings;
  const app = createApp(logger);
  const services: Service[] = [];
  // A degraded component must not make the process unready: transfers are still accepted.
  const degraded = async (): Promise<string[]> => [
    ...new Set((await Promise.all(services.map(async (service) => (await service.unavailable?.()) ?? []))).flat()),
  ];
  const consolePipeline = await pipelineOf('console');
  // Each service asks the OIDC provider itself and reports the same, so duplicates are removed.
  const warnings = (): string[] => [
    ...new Set([...pipelines.flatMap(({ access }) => access.warnings()), ...services.flatMap((service) => service.warnings?.() ?? [])]),
  ];
  app.route('/', healthRoutes({ unavailable: () => consolePipeline.unavailable(), degraded, scrape: () => metrics.scrape(), warnings }));
  for (const start of [
    async () => startAuditWriter(await pipelineOf('audit-writer'), settings),
    () => startConsole(consolePipeline, settings),
    async () => startDecision(await pipelineOf('decision'), settings),
    async () => startScoring(await pipelineOf('scoring'), upstream),
    async () => startWithdrawalGate(await pipelineOf('withdrawal-gate'), { ...settings, permitKeySecret }),
    async () => startDepositIngest(await pipelineOf('deposit-ingest'), settings),
  ]) {
    const service: Service = await start();
    services.push(service);
    undo.push(() => service.stop());
    if (service.routes !== undefined) app.route('/', service.routes);
  }
  front.open(app);
  undo.push(async () => front.shut());
  const withdraw = announce(settings.dataDir, url, riskUrl);
  undo.push(async () => withdraw());
  return { pipeline: consolePipeline, ownerUrl: database.url, credentials, url, riskUrl, failed: database.failed, stop };
}

/** Connects as the owner, for the duration of a command. */
export async function asOwner<T>(ownerUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ url: ownerUrl, max: 2 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function listen(front: Front, options: ServeOptions, undo: (() => Promise<unknown>)[]): Promise<RunningServer> {
  const server = await serve(front, options);
  undo.push(() => server.close());
  return server;
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
    throw new ConfigError(`setting DATABASE_URL is wrong, or its server is away: ${known.message}`);
  throw error;
}

/** The database of DATABASE_URL, or the embedded one in the data folder. */
async function openDatabase(
  settings: AllSettings,
  clock: Clock,
  undo: (() => Promise<unknown>)[],
): Promise<{ url: string; failed: Promise<never> }> {
  if (settings.databaseUrl !== '') return { url: settings.databaseUrl, failed: new Promise(() => undefined) };
  const server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: settings.dataDir, clock });
  let stopping = false;
  undo.push(() => {
    stopping = true;
    return server.stop();
  });
  const failed = server.ended.then(() => {
    if (stopping) return new Promise<never>(() => undefined);
    throw new Error(`the embedded PostgreSQL ended by itself; see postgres.log in ${settings.dataDir}`);
  });
  failed.catch(() => undefined);
  return { url: server.url, failed };
}
