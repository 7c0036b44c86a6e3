import type { Clock } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import { PostgresRunQueue } from './queue-postgres.ts';

/** At-least-once delivery of runs to some replica. It may lose jobs at any time: the records are authoritative. */
export interface RunQueue {
  /** A waiting run is not enqueued twice. One in progress at its next `turn` gets a second job: the first may belong to a dead process. */
  enqueue(runId: string, turn: number): Promise<void>;
  /** Answers within a second; false when the queue is in the database. */
  isAway(): Promise<boolean>;
  close(): Promise<void>;
}

export interface RunQueueOptions {
  /** Empty: runs wait in the database. A Redis serves one installation. */
  readonly redisUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0: this process only enqueues. */
  readonly concurrency: number;
  readonly work: (runId: string) => Promise<void>;
  /** Runs that nobody computes, the one that waited longest first. */
  readonly waiting: (limit: number) => Promise<readonly string[]>;
}

/** Rejects when Redis is unavailable. */
export async function openRunQueue(options: RunQueueOptions): Promise<RunQueue> {
  if (options.redisUrl === '') return new PostgresRunQueue(options);
  const { openRedisQueue } = await import('./queue-redis.ts');
  return openRedisQueue(options);
}
