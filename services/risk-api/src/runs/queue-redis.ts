import { type Clock, within } from '@weir/clock';
import { connectRedis, RedisError, redisError } from '@weir/redis';
import type { Logger } from '@weir/service-kit';
import { parseTraceparent, runWithin } from '@weir/tracing';
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
const complainEveryMs = 5_000;
/** Beyond this limit a run stays in its record and is enqueued again later. */
const mostWaiting = 500;

/** BullMQ on Redis. When Redis is unavailable or full, this process runs the jobs itself. The records enqueue lost jobs again. */
export async function openRedisQueue(options: RunQueueOptions): Promise<RunQueue> {
  const { redisUrl, clock, logger } = options;
  const complain = complainTo(logger, clock);
  // Fails at once while Redis is unavailable.
  const hasty = await connectRedis({ url: redisUrl, clock, onError: complain });
  const queue = new RedisRunQueue(hasty, options, complain);
  try {
    await inTime(options, queue.ready());
  } catch (error) {
    await queue.close();
    throw redisError(error);
  }
  return queue;
}

class RedisRunQueue implements RunQueue {
  readonly #clock: Clock;
  readonly #complain: (error: unknown) => void;
  readonly #hasty: Redis;
  readonly #connections: Redis[];
  readonly #queue: Queue<RunJob>;
  readonly #worker: Worker<RunJob> | undefined;
  readonly #here: InProcessQueue;
  readonly #work: (runId: string) => Promise<void>;
  readonly #underWay = new Set<Promise<void>>();

  constructor(hasty: Redis, options: RunQueueOptions, complain: (error: unknown) => void) {
    const { clock, logger, concurrency } = options;
    this.#clock = clock;
    this.#complain = complain;
    this.#hasty = hasty;
    this.#connections = [hasty];
    this.#work = options.work;
    this.#queue = new Queue<RunJob>(queueName, {
      connection: hasty,
      prefix,
      defaultJobOptions: jobOptions,
      streams: { events: { maxLen: mostEvents } },
    });
    this.#queue.on('error', complain);
    const onFailed = (error: unknown): void => logger.warn({ err: error }, 'run queue');
    this.#worker = concurrency === 0 ? undefined : this.#openWorker(concurrency);
    this.#worker?.on('error', complain);
    this.#worker?.on('failed', (_job, error) => onFailed(error));
    this.#here = new InProcessQueue({ concurrency, mostWaiting, work: options.work, onError: onFailed });
  }

  async ready(): Promise<void> {
    await Promise.all([this.#queue.waitUntilReady(), this.#worker?.waitUntilReady()]);
  }

  async enqueue(runId: string, turn: number): Promise<void> {
    try {
      await addRun(this.#queue, runId, turn);
    } catch (error) {
      if (!this.#here.offer(runId)) throw redisError(error);
      this.#complain(error);
    }
  }

  isAway(): Promise<boolean> {
    return this.#hasty.ping().then(
      () => false,
      () => true,
    );
  }

  async close(): Promise<void> {
    await closeInTime(this.#clock, this.#closeAll().catch(this.#complain));
    for (const connection of this.#connections) connection.disconnect();
  }

  #openWorker(concurrency: number): Worker<RunJob> {
    const connection = remembered(this.#hasty.duplicate(patient), this.#connections);
    return new Worker<RunJob>(queueName, (job) => runWithin(parseTraceparent(job.data.traceparent), () => this.#run(job.data.runId)), {
      connection,
      prefix,
      concurrency,
      ...workerOptions,
    });
  }

  #run(runId: string): Promise<void> {
    const ended = this.#work(runId).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return ended;
  }

  async #closeAll(): Promise<void> {
    const here = this.#here.stop();
    await this.#queue.close();
    // Without Redis a graceful close would wait for a connection that does not exist, so the close is forced.
    await this.#worker?.close(await this.isAway());
    await Promise.allSettled([here, ...this.#underWay]);
  }
}

/** Every connection reports every attempt: the log gets one line in a period. */
function complainTo(logger: Logger, clock: Clock): (error: unknown) => void {
  let complainAt = 0;
  return (error) => {
    if (clock.monotonic() < complainAt) return;
    complainAt = clock.monotonic() + complainEveryMs;
    logger.warn({ err: redisError(error) }, 'run queue');
  };
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
