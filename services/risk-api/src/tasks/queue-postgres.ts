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
 * BullMQ on PostgreSQL, in a schema of its own. Queue and worker share one small pool, so that a process holds two connections at most and
 * the one that listens. Idle it is quiet: jobs are announced by NOTIFY, and only the look for stalled jobs comes round by itself.
 */
export async function openPostgresQueue(options: RunQueueOptions): Promise<RunQueue> {
  const { databaseUrl, clock, logger, concurrency, work } = options;
  const config: PostgresPoolConfig = {
    connectionString: databaseUrl,
    schema: 'bullmq',
    migrate: true,
    max: 2,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    application_name: 'weir-risk-runs',
  };
  const connection = new PostgresConnection(config);
  const backend = (owner: boolean) => (queue: string, opts: QueueBaseOptions<PostgresConnectionOptions>) =>
    new PostgresQueueBackend(connection, queue, opts, owner, owner ? queue : undefined);
  const complain = (error: Error): void => logger.warn({ err: error }, 'run queue');

  try {
    await connection.waitUntilReady();
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
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
