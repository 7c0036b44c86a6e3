import { type Clock, systemClock } from '@weir/clock';
import { databaseError } from '@weir/postgres';
import { startTracing } from '@weir/tracing';
import type { Schema } from 'convict';
import { ConfigError, listSettings, loadConfig } from './config.ts';
import { createDescribedApp } from './api/described-app.ts';
import { closedApp, serveBoth, type ServeOptions } from './http.ts';
import { kafkaTier } from './kafka-connection.ts';
import { createLogger, type Logger } from './logger.ts';
import { type OpenPipeline, openPipeline, type Service } from './pipeline.ts';
import { recordSettings } from './record-settings.ts';
import { isRestored, restoredDetail, untilRestored } from './recovery.ts';
import { certificateExpiry, tlsSchema, type TlsSettings } from './server-tls.ts';
import { serviceHelp, ServiceUsageError } from './service-help.ts';
import { type BaseSettings, baseSchema, portSchema } from './settings.ts';
import { tracingOptions } from './tracing-settings.ts';
import { checkVariables } from './variables.ts';

/** Runs one service as a process: configuration, dependencies, the service, shutdown on SIGINT or SIGTERM. `--help` prints its settings. */
export async function runService<S>(options: {
  name: string;
  /** Its path, for `--help`; default: `services/<name>/src/main.ts`. */
  program?: string;
  /** One sentence, for `--help`. */
  purpose: string;
  port: number;
  schema: Schema<S>;
  start(pipeline: OpenPipeline, settings: S & BaseSettings): Promise<Service>;
}): Promise<void> {
  try {
    const schema = { ...baseSchema, ...portSchema(options.port), ...tlsSchema, ...options.schema } as Schema<
      S & BaseSettings & TlsSettings & { port: number }
    >;
    const help = serviceHelp(process.argv.slice(2), { ...options, schema });
    if (help !== undefined) return void process.stdout.write(help);
    const settings = loadConfig(schema, process.env);
    const unknown = checkVariables(process.env);
    if (settings.databaseUrl === '') throw new ConfigError('setting DATABASE_URL is not set: a standalone service needs a database');
    process.title = `weir-${options.name}`;
    const logger = createLogger({ service: options.name, level: settings.logLevel });
    for (const warning of unknown) logger.warn(warning);
    const tracing = await startTracing(tracingOptions(settings), systemClock);
    const pipeline = await openPipeline({
      databaseUrl: settings.databaseUrl,
      applicationName: `weir-${options.name}`,
      tier: kafkaTier(settings),
      clock: systemClock,
      logger,
      retentionMs: settings.retentionMs,
      access: settings,
    });
    await recordSettings(pipeline.pool, { name: options.name, settings: listSettings(schema, settings), clock: systemClock });
    // Before the wait, since a signal may come during it.
    const signal = untilSignal();
    const stopped = new AbortController();
    void endInTime(signal, stopped.signal, { clock: systemClock, logger });
    if (!(await untilOpen(pipeline, settings, signal))) {
      await pipeline.close();
      await tracing.stop();
      return stopped.abort();
    }
    pipeline.startJobs(options.name);
    const service = await options.start(pipeline, settings);
    const unavailable = async (): Promise<string[]> =>
      (await Promise.all([pipeline.unavailable(), service.unavailable?.()])).flatMap((names) => names ?? []);
    const health = {
      unavailable,
      ...(service.degraded && { degraded: async () => (await service.degraded?.()) ?? [] }),
      expose: (accept?: string) => pipeline.metrics.expose(accept),
      warnings: () => [...pipeline.access.warnings(), ...(service.warnings?.() ?? [])],
    };
    pipeline.readiness.set(options.name, health);
    const app = createDescribedApp({ ...pipeline, operations: service.operations ?? [], health, pages: service.pages });
    const server = await serveBoth(app, {
      ...settings,
      clock: systemClock,
      onCertificate: ({ expiresAt }) => pipeline.metrics.gauge(...certificateExpiry).set({}, expiresAt.getTime() / 1_000),
      onCertificateError: (err) => logger.warn({ err }, 'the renewed certificate cannot be used; keeping the one before'),
    });
    logger.info({ port: server.port }, 'listening');
    // To the process that has started this one, if it listens.
    process.send?.({ port: server.port });
    const ending = new AbortController();
    const restored = untilRestored(pipeline.pool, true, { clock: systemClock, signal: ending.signal });
    // The next start waits until it is reconciled.
    if ((await Promise.race([signal, restored])) === undefined) {
      logger.error(restoredDetail);
      process.exitCode = 1;
    }
    ending.abort();
    service.drain?.();
    await server.close();
    await service.stop();
    await pipeline.close();
    await tracing.stop();
    stopped.abort();
  } catch (error) {
    // The error of an unavailable database has a code and no message.
    const known = databaseError(error);
    process.stderr.write(`${options.name}: ${(known instanceof Error && known.message) || 'failed'}\n`);
    process.exitCode = error instanceof ServiceUsageError ? 2 : 1;
    process.exit();
  }
}

/** Answers 503 while the database is restored and not reconciled. False if the process is to end. */
async function untilOpen({ pool, logger }: OpenPipeline, settings: ServeOptions & TlsSettings, signal: Promise<unknown>): Promise<boolean> {
  if (!(await isRestored(pool))) return true;
  logger.error(restoredDetail);
  const closed = await serveBoth(closedApp('NOT_RECONCILED', restoredDetail), settings);
  const ending = new AbortController();
  void signal.then(() => ending.abort());
  await untilRestored(pool, false, { clock: systemClock, signal: ending.signal });
  await closed.close();
  return !ending.signal.aborted;
}

/** Within what compose and Kubernetes allow. All waits together can be longer while a broker or the database is away. */
const stopLimitMs = 25_000;

interface EndInTimeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ends a process that was told to stop and has not stopped in time, even while it is starting. The next start completes its work. */
export async function endInTime(told: Promise<unknown>, stopped: AbortSignal, { clock, logger }: EndInTimeOptions): Promise<void> {
  await told;
  await clock.sleep(stopLimitMs, stopped);
  if (stopped.aborted) return;
  logger.error({ limit_ms: stopLimitMs }, 'the process did not stop in time and is ended');
  process.exit(1);
}

/** Signals within this time count as one: a terminal signals the whole process group, and npm forwards its signal again. */
const sameSignalMs = 1_000;

/** Resolves at the first SIGINT or SIGTERM; a later one exits at once. */
export function untilSignal(clock: Clock = systemClock): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        firstAtMs ??= clock.monotonic();
        if (clock.monotonic() - firstAtMs >= sameSignalMs) process.exit(130);
        resolve(signal);
      });
    }
  });
}
