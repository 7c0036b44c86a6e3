import { type Clock, systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import {
  type BaseSettings,
  baseSchema,
  certificateExpiry,
  checkVariables,
  ConfigError,
  createLogger,
  createMetrics,
  endInTime,
  loadConfig,
  portSchema,
  type RunningServer,
  serve,
  serveBoth,
  type ServeOptions,
  serviceHelp,
  ServiceUsageError,
  tlsSchema,
  type TlsSettings,
  tracingOptions,
  untilSignal,
} from '@weir/service-kit';
import { startTracing } from '@weir/tracing';
import { riskApiSchema, type RiskApiSettings } from './config.ts';
import type { ServedSurface } from './http/operation.ts';
import { createRiskApi, type RiskApi } from './service.ts';

type Settings = BaseSettings & RiskApiSettings & TlsSettings & { port: number };

async function main(clock: Clock): Promise<void> {
  const schema = { ...baseSchema, ...portSchema(4100), ...tlsSchema, ...riskApiSchema };
  const help = serviceHelp(process.argv.slice(2), {
    name: 'risk-api',
    purpose: 'Scores addresses and transactions from labels and transfers.',
    schema,
  });
  if (help !== undefined) return void process.stdout.write(help);
  const settings = loadConfig<Settings>(schema, process.env);
  const unknown = checkVariables(process.env);
  if (settings.databaseUrl === '') throw new ConfigError('setting DATABASE_URL is not set: a standalone service needs a database');
  process.title = 'weir-risk-api';
  const logger = createLogger({ service: 'risk-api', level: settings.logLevel });
  for (const warning of unknown) logger.warn(warning);
  const metrics = createMetrics();
  const tracing = await startTracing(tracingOptions(settings), clock);
  const pool = openPool({
    url: settings.databaseUrl,
    applicationName: 'weir-risk-api',
    onError: (error) => logger.warn({ err: error }, 'database'),
  });

  const api = await createRiskApi({
    pool,
    redisUrl: settings.redisUrl,
    clock,
    logger,
    metrics,
    settings,
  });
  // Before the log line `listening`, so that a signal in reply finds its handler.
  const signal = untilSignal();
  const stopped = new AbortController();
  void endInTime(signal, stopped.signal, { clock, logger });
  const servers = await listen(api, {
    ...settings,
    clock,
    onCertificate: ({ expiresAt }) => metrics.gauge(...certificateExpiry).set({}, expiresAt.getTime() / 1_000),
    onCertificateError: (err) => logger.warn({ err }, 'the renewed certificate cannot be used; keeping the one before'),
  });
  logger.info({ port: servers.main.port, sandbox_port: servers.sandbox?.port, x402_port: servers.x402?.port }, 'listening');

  await signal;
  await Promise.all([servers.main, servers.sandbox, servers.x402].flatMap((server) => server?.close() ?? []));
  await api.stop();
  await pool.end();
  await tracing.stop();
  stopped.abort();
}

interface Servers {
  readonly main: RunningServer;
  readonly sandbox: RunningServer | undefined;
  readonly x402: RunningServer | undefined;
}

async function listen(api: RiskApi, settings: Settings & ServeOptions): Promise<Servers> {
  const { sandboxListen, x402Listen } = settings;
  const shared = (['standard', 'sandbox', 'x402'] as const).filter(
    (surface) => !(surface === 'sandbox' && sandboxListen !== '') && !(surface === 'x402' && x402Listen !== ''),
  );
  const own = async (surface: ServedSurface, at: string): Promise<RunningServer | undefined> =>
    at === '' ? undefined : serve(api.appOf([surface]), { ...settings, ...placeOf(at) });
  return {
    main: await serveBoth(api.appOf(shared), settings),
    sandbox: await own('sandbox', sandboxListen),
    x402: await own('x402', x402Listen),
  };
}

function placeOf(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
}

main(systemClock).catch((error: unknown) => {
  process.stderr.write(`risk-api: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.exit(error instanceof ServiceUsageError ? 2 : 1);
});
