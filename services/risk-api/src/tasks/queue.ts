import type { Clock } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import {
  PostgresConnection,
  type PostgresConnectionOptions,
  type PostgresPoolConfig,
  PostgresQueueBackend,
  type QueueBaseOptions,
  Queue,
  Worker,
} from 'bullmq';

/** Runs what it is given once at least, on some replica. It may lose a job when a process is killed: the records know better. */
export interface RunQueue {
  /**
   * Hands a run to the workers. One that still waits is not handed out twice, however often it is asked for; one that is being worked on
   * when its next `turn` comes may be with a dead process, so it is given to another as well.
   */
  enqueue(runId: string, turn: number): Promise<void>;
  /** Waits a few seconds for what is under way. */
  close(): Promise<void>;
}

export interface RunQueueOptions {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs under way at once in this process; 0: none, this process only hands out. */
  readonly concurrency: number;
  readonly work: (runId: string) => Promise<void>;
}

const name = 'risk-runs';

const closeLimitMs = 5_000;

/**
 * BullMQ on PostgreSQL, in a schema of its own. Queue and worker share one small pool, so that a process holds two connections at most and
 * the one that listens. Idle it is quiet: jobs are announced by NOTIFY, and only the look for stalled jobs comes round by itself.
 */
export async function openRunQueue(options: RunQueueOptions): Promise<RunQueue> {
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
  const queue = new Queue<
    { runId: string },
    void,
    string,
    { runId: string },
    void,
    string,
    PostgresQueueBackend,
    PostgresConnectionOptions
  >(
    name,
    {
      connection: databaseUrl,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 3, backoff: { type: 'fixed', delay: 1_000 } },
      streams: { events: { maxLen: 100 } },
    },
    backend(false),
  );
  queue.on('error', complain);
  const worker =
    concurrency === 0
      ? undefined
      : new Worker<{ runId: string }, void, string, PostgresQueueBackend, number, PostgresConnectionOptions>(
          name,
          (job) => work(job.data.runId),
          { connection: databaseUrl, concurrency, lockDuration: 15_000, stalledInterval: 15_000, maxStalledCount: 5, runRetryDelay: 1_000 },
          backend(true),
        );
  worker?.on('error', complain);
  worker?.on('failed', (_job, error) => complain(error));
  await worker?.waitUntilReady();

  return {
    enqueue: async (runId, turn) => {
      const taken = turn > 1 && (await queue.getJobState(runId)) === 'active';
      await queue.add('score', { runId }, { jobId: taken ? `${runId}-${turn}` : runId });
    },
    close: async () => {
      const done = new AbortController();
      const closed = queue
        .close()
        .then(() => worker?.close())
        .then(() => connection.close())
        .catch(complain)
        .finally(() => done.abort());
      await Promise.race([closed, clock.sleep(closeLimitMs, done.signal)]);
    },
  };
}
