import { type Clock, systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import {
  type BaseSettings,
  baseSchema,
  ConfigError,
  createLogger,
  loadConfig,
  portSchema,
  type RunningServer,
  serve,
  untilSignal,
} from '@weir/service-kit';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { riskApiSchema } from './config.ts';
import { createRiskApi, type RiskApi, type RiskApiSettings } from './service.ts';

type Settings = BaseSettings & RiskApiSettings & { port: number };

async function main(clock: Clock): Promise<void> {
  const settings = loadConfig<Settings>({ ...baseSchema, ...portSchema(4100), ...riskApiSchema }, process.env);
  if (settings.databaseUrl === '') throw new ConfigError('setting DATABASE_URL is wrong: a service that runs by itself needs a database');
  const logger = createLogger({ service: 'risk-api', level: settings.logLevel });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const pool = openPool({
    url: settings.databaseUrl,
    applicationName: 'weir-risk-api',
    onError: (error) => logger.warn({ err: error }, 'database'),
  });

  const api = await createRiskApi({
    pool,
    databaseUrl: settings.databaseUrl,
    redisUrl: settings.redisUrl,
    clock,
    logger,
    registry,
    settings,
  });
  const servers = await listen(api, settings);
  logger.info({ port: servers[0]?.port, sandbox_port: servers[1]?.port }, 'listening');

  await untilSignal();
  await Promise.all(servers.map((server) => server.close()));
  await api.stop();
  await pool.end();
}

/** One server, or a second one for the sandbox where it is to have its own. */
async function listen(api: RiskApi, { host, port, sandboxListen }: Settings): Promise<RunningServer[]> {
  if (sandboxListen === '') return [await serve(api.app, { host, port })];
  const at = sandboxListen.lastIndexOf(':');
  const own = { host: sandboxListen.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(sandboxListen.slice(at + 1)) };
  return [await serve(api.appOf(['standard']), { host, port }), await serve(api.appOf(['sandbox']), own)];
}

main(systemClock).catch((error: unknown) => {
  process.stderr.write(`risk-api: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.exit(1);
});
