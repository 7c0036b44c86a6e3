import { within } from '@weir/clock';
import { connectRedis, RedisError, redisError } from '@weir/redis';
import { Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { InProcessQueue } from './in-process-queue.ts';
import { addRun, closeInTime, jobOptions, mostEvents, queueName, type RunJob, workerOptions } from './jobs.ts';
import type { RunQueue, RunQueueOptions } from './queue.ts';

const prefix = 'weir';

/** A worker waits for its Redis without limit. A connection silent for longer than one BZPOPMIN counts as dead. */
const patient: Partial<RedisOptions> = {
  maxRetriesPerRequest: null,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
  // BZPOPMIN blocks as long as there is no job.
  commandTimeout: undefined,
  socketTimeout: 20_000,
  keepAlive: 10_000,
};
const readyLimitMs = 10_000;
/** Every connection reports every attempt: the log gets one line in this period. */
const complainEveryMs = 5_000;

/** BullMQ on Redis. When Redis is unavailable or full, this process runs the jobs itself. The records enqueue lost jobs again. */
export async function openRedisQueue(options: RunQueueOptions): Promise<RunQueue> {
  const { redisUrl, clock, logger, concurrency } = options;
  const underWay = new Set<Promise<void>>();
  const work = (runId: string): Promise<void> => {
    const ended = options.work(runId).finally(() => underWay.delete(ended));
    underWay.add(ended);
    return ended;
  };
  let complainAt = 0;
  const complain = (error: unknown): void => {
    if (clock.monotonic() < complainAt) return;
    complainAt = clock.monotonic() + complainEveryMs;
    logger.warn({ err: redisError(error) }, 'run queue');
  };
  // Fails at once while Redis is unavailable.
  const hasty = await connectRedis({ url: redisUrl, clock, onError: complain });
  const connections = [hasty];
  const queue = new Queue<RunJob>(queueName, {
    connection: hasty,
    prefix,
    defaultJobOptions: jobOptions,
    streams: { events: { maxLen: mostEvents } },
  });
  queue.on('error', complain);
  const worker = concurrency === 0 ? undefined : openWorker(remembered(hasty.duplicate(patient), connections), { concurrency, work });
  worker?.on('error', complain);
  worker?.on('failed', (_job, error) => logger.warn({ err: error }, 'run queue'));
  const here = new InProcessQueue({ concurrency, work, onError: (error) => logger.warn({ err: error }, 'run queue') });
  const isAway = (): Promise<boolean> =>
    hasty.ping().then(
      () => false,
      () => true,
    );
  const closeAll = async (): Promise<void> => {
    here.stop();
    await queue.close();
    // Without Redis a graceful close would wait for a connection that does not exist, so the close is forced.
    await worker?.close(await isAway());
    await Promise.allSettled(underWay);
  };
  const close = async (): Promise<void> => {
    await closeInTime(clock, closeAll().catch(complain));
    for (const connection of connections) connection.disconnect();
  };
  try {
    await inTime(options, Promise.all([queue.waitUntilReady(), worker?.waitUntilReady()]));
  } catch (error) {
    await close();
    throw redisError(error);
  }
  return {
    enqueue: async (runId, turn) => {
      try {
        await addRun(queue, runId, turn);
      } catch (error) {
        if (!here.offer(runId)) throw redisError(error);
        complain(error);
      }
    },
    isAway,
    close,
  };
}

function openWorker(connection: Redis, { concurrency, work }: Pick<RunQueueOptions, 'concurrency' | 'work'>): Worker<RunJob> {
  return new Worker<RunJob>(queueName, (job) => work(job.data.runId), { connection, prefix, concurrency, ...workerOptions });
}

/** BullMQ duplicates this connection to listen, and leaves the copy open when Redis is unavailable. */
function remembered(connection: Redis, connections: Redis[]): Redis {
  connections.push(connection);
  connection.duplicate = (override) => {
    const copy = Redis.prototype.duplicate.call(connection, override);
    connections.push(copy);
    return copy;
  };
  return connection;
}

async function inTime({ clock }: RunQueueOptions, opening: Promise<unknown>): Promise<void> {
  const late = (): never => {
    throw new RedisError('REDIS_UNAVAILABLE', 'Redis cannot be reached');
  };
  await within(clock, readyLimitMs, opening, { late });
}
