import { type Clock, within } from '@weir/clock';
import { activeSpan, toTraceparent } from '@weir/tracing';
import type { DefaultJobOptions, WorkerOptions } from 'bullmq';

export const queueName = 'risk-runs';

export interface RunJob {
  readonly runId: string;
  /** W3C, of the request that wants it; absent without tracing. */
  readonly traceparent?: string;
}

export const jobOptions: DefaultJobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 3,
  backoff: { type: 'fixed', delay: 1_000 },
};

/** Nobody reads the event stream of BullMQ. */
export const mostEvents = 100;

export const workerOptions = {
  lockDuration: 15_000,
  stalledInterval: 15_000,
  maxStalledCount: 5,
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

interface Jobs {
  getJobState(id: string): Promise<string>;
  add(name: string, data: RunJob, options: { jobId: string }): Promise<unknown>;
}

/** A waiting run has one job. An active one gets a second, because the first may belong to a dead process. */
export async function addRun(jobs: Jobs, runId: string, turn: number): Promise<void> {
  const cause = activeSpan();
  const data: RunJob = { runId, ...(cause && { traceparent: toTraceparent(cause) }) };
  const taken = turn > 1 && (await jobs.getJobState(runId)) === 'active';
  await jobs.add('score', data, { jobId: taken ? `${runId}-${turn}` : runId });
}

const closeLimitMs = 5_000;

/** Returns whether the close completed in time. */
export async function closeInTime(clock: Clock, closing: Promise<unknown>): Promise<boolean> {
  const closed = closing.then(() => true);
  return within(clock, closeLimitMs, closed, { late: () => false });
}
