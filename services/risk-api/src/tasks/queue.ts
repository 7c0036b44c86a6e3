import type { Clock } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import { openPostgresQueue } from './queue-postgres.ts';
import { openRedisQueue } from './queue-redis.ts';

/** Runs what it is given once at least, on some replica. It may lose a job at any time: the records know better. */
export interface RunQueue {
  /**
   * Hands a run to the workers. One that still waits is not handed out twice, however often it is asked for; one that is being worked on
   * when its next `turn` comes may be with a dead process, so it is given to another as well.
   */
  enqueue(runId: string, turn: number): Promise<void>;
  /** Whether the server that holds the queue is away. Answers within a second; false where that is the database. */
  isAway(): Promise<boolean>;
  /** Waits a few seconds for what is under way. */
  close(): Promise<void>;
}

export interface RunQueueOptions {
  readonly databaseUrl: string;
  /** Whether the user of the database may bring the queue's schema up to date. */
  readonly mayMigrate: boolean;
  /** Empty: the queue is in the database. A Redis serves one installation. */
  readonly redisUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs under way at once in this process; 0: none, this process only hands out. */
  readonly concurrency: number;
  readonly work: (runId: string) => Promise<void>;
}

/** The queue of this tier: BullMQ on Redis when there is one, else on PostgreSQL. Rejects when that server is away. */
export function openRunQueue(options: RunQueueOptions): Promise<RunQueue> {
  return options.redisUrl === '' ? openPostgresQueue(options) : openRedisQueue(options);
}
