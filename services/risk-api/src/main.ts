import { systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import { type BaseSettings, baseSchema, ConfigError, createLogger, loadConfig, portSchema, serve, untilSignal } from '@weir/service-kit';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { riskApiSchema } from './config.ts';
import { createRiskApi, type RiskApiSettings } from './service.ts';

async function main(): Promise<void> {
  const settings = loadConfig<BaseSettings & RiskApiSettings & { port: number }>(
    { ...baseSchema, ...portSchema(4100), ...riskApiSchema },
    process.env,
  );
  if (settings.databaseUrl === '') throw new ConfigError('setting DATABASE_URL is wrong: a service that runs by itself needs a database');
  const logger = createLogger({ service: 'risk-api', level: settings.logLevel });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const pool = openPool({
    url: settings.databaseUrl,
    applicationName: 'weir-risk-api',
    onError: (error) => logger.warn({ err: error }, 'database'),
  });

  const api = await createRiskApi({ pool, databaseUrl: settings.databaseUrl, clock: systemClock, logger, registry, settings });
  const server = await serve(api.app, { host: settings.host, port: settings.port });
  logger.info({ port: server.port }, 'listening');

  await untilSignal();
  await server.close();
  await api.stop();
  await pool.end();
}

main().catch((error: unknown) => {
  process.stderr.write(`risk-api: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.exit(1);
});
