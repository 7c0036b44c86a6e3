import { type Clock, within } from '@weir/clock';
import type { DefaultJobOptions, WorkerOptions } from 'bullmq';

/** The queue's name, and what its jobs and workers are like, on either server. */
export const queueName = 'risk-runs';

export interface RunJob {
  readonly runId: string;
}

export const jobOptions: DefaultJobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 3,
  backoff: { type: 'fixed', delay: 1_000 },
};

/** Entries of the stream of events, which nobody reads. */
export const mostEvents = 100;

export const workerOptions = {
  lockDuration: 15_000,
  stalledInterval: 15_000,
  maxStalledCount: 5,
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

/** What handing out needs of a queue of BullMQ's. */
interface Jobs {
  getJobState(id: string): Promise<string>;
  add(name: string, data: RunJob, options: { jobId: string }): Promise<unknown>;
}

/** A job is called after its run, so that one that waits is there once; beside one that is active a second is put, for the first may be a dead process's. */
export async function addRun(jobs: Jobs, runId: string, turn: number): Promise<void> {
  const taken = turn > 1 && (await jobs.getJobState(runId)) === 'active';
  await jobs.add('score', { runId }, { jobId: taken ? `${runId}-${turn}` : runId });
}

const closeLimitMs = 5_000;

/** Ends in some seconds, whether or not what is being closed does. Says whether it did. */
export async function closeInTime(clock: Clock, closing: Promise<unknown>): Promise<boolean> {
  const closed = closing.then(() => true);
  return within(clock, closeLimitMs, closed, { late: () => false });
}
