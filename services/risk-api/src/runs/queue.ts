import type { Clock } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import { openPostgresQueue } from './queue-postgres.ts';
import { openRedisQueue } from './queue-redis.ts';

/** At-least-once delivery of runs to some replica. It may lose jobs at any time: the records are authoritative. */
export interface RunQueue {
  /** A waiting run is not enqueued twice. One in progress at its next `turn` gets a second job: the first may belong to a dead process. */
  enqueue(runId: string, turn: number): Promise<void>;
  /** Answers within a second; false when the queue is in the database. */
  isAway(): Promise<boolean>;
  close(): Promise<void>;
}

export interface RunQueueOptions {
  readonly databaseUrl: string;
  readonly mayMigrate: boolean;
  /** Empty: the queue is in the database. A Redis serves one installation. */
  readonly redisUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0: this process only enqueues. */
  readonly concurrency: number;
  readonly work: (runId: string) => Promise<void>;
}

/** Rejects when the queue's server is unavailable. */
export function openRunQueue(options: RunQueueOptions): Promise<RunQueue> {
  return options.redisUrl === '' ? openPostgresQueue(options) : openRedisQueue(options);
}
