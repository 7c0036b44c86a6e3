import {
  PostgresConnection,
  type PostgresConnectionOptions,
  type PostgresPoolConfig,
  PostgresQueueBackend,
  Queue,
  type QueueBaseOptions,
  Worker,
} from 'bullmq';
import { addRun, closeInTime, jobOptions, mostEvents, queueName, type RunJob, workerOptions } from './jobs.ts';
import type { RunQueue, RunQueueOptions } from './queue.ts';

/**
 * BullMQ on PostgreSQL, in its own schema. Each process has two connections, and one that listens. Only the check for stalled jobs polls.
 */
export async function openPostgresQueue(options: RunQueueOptions): Promise<RunQueue> {
  const { databaseUrl, mayMigrate, clock, logger, concurrency, work } = options;
  const connection = new PostgresConnection(configOf(databaseUrl, mayMigrate));
  const backend = (owner: boolean) => (queue: string, opts: QueueBaseOptions<PostgresConnectionOptions>) =>
    new PostgresQueueBackend(connection, queue, opts, owner, owner ? queue : undefined);
  const complain = (error: Error): void => logger.warn({ err: error }, 'run queue');

  await untilReady(connection);
  connection.on('error', complain);
  const queue = new Queue<RunJob, void, string, RunJob, void, string, PostgresQueueBackend, PostgresConnectionOptions>(
    queueName,
    { connection: databaseUrl, defaultJobOptions: jobOptions, streams: { events: { maxLen: mostEvents } } },
    backend(false),
  );
  queue.on('error', complain);
  const worker =
    concurrency === 0
      ? undefined
      : new Worker<RunJob, void, string, PostgresQueueBackend, number, PostgresConnectionOptions>(
          queueName,
          (job) => work(job.data.runId),
          { connection: databaseUrl, concurrency, ...workerOptions },
          backend(true),
        );
  worker?.on('error', complain);
  worker?.on('failed', (_job, error) => complain(error));
  await worker?.waitUntilReady();

  return {
    enqueue: (runId, turn) => addRun(queue, runId, turn),
    isAway: async () => false,
    close: async () => {
      const closing = queue
        .close()
        .then(() => worker?.close())
        .then(() => connection.close())
        .catch(complain);
      await closeInTime(clock, closing);
    },
  };
}

/** Migrates the queue's schema. Needs the owner of the database. */
export async function migratePostgresQueue(databaseUrl: string): Promise<void> {
  const connection = new PostgresConnection(configOf(databaseUrl, true));
  await untilReady(connection);
  await connection.close();
}

function configOf(databaseUrl: string, migrate: boolean): PostgresPoolConfig {
  const url = new URL(databaseUrl);
  // BullMQ sets its own `options`, which one in the URL would replace.
  const options = url.searchParams.get('options');
  url.searchParams.delete('options');
  return {
    connectionString: url.toString(),
    ...(options === null ? {} : { options }),
    schema: 'bullmq',
    migrate,
    max: 2,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    application_name: 'weir-risk-runs',
  };
}

async function untilReady(connection: PostgresConnection): Promise<void> {
  try {
    await connection.waitUntilReady();
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}
