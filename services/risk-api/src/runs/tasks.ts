import { type Clock, within } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import type { RunQueue } from './queue.ts';
import type { FinishedRun, Run, RunRecords } from './runs.ts';
import type { Subject } from '../subject.ts';
import { Waiting } from './waiting.ts';

export interface TaskSettings {
  readonly scoreCacheMs: number;
  /** After its last query. */
  readonly taskRetentionMs: number;
  /** A run enqueued or last renewed longer ago is enqueued again: its process died, or its job is lost. */
  readonly requeueAfterMs: number;
  readonly syncWaitMs: number;
}

export interface TasksOptions {
  readonly records: RunRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: TaskSettings;
  readonly random: (bytes: number) => Buffer;
  readonly newRunId: () => string;
}

interface KnownScore {
  readonly has_result: boolean;
  /** Unix seconds, 0 without a result. */
  readonly scanned_ts: number;
}

export interface CreatedTask extends KnownScore {
  readonly task_id: string;
}

/** Of the ids that `create` makes. */
const taskIdForm = /^[0-9a-f]{32}$/;
const recoveryLimit = 500;
/** One pass a minute keeps up with 80 new tasks a second. */
const sweepLimit = 5_000;
/** Bounds the caller's wait for the queue. The record exists by then, and recovery enqueues it. */
const enqueueLimitMs = 2_000;
/** Concurrent synchronous calls in one process. Each polls the database twice a second at most. */
const mostWaiting = 500;

export class Tasks {
  readonly #options: TasksOptions;
  readonly #waiting: Waiting;
  #queue: RunQueue | undefined;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#waiting = new Waiting(options.clock, mostWaiting);
  }

  /** The queue needs the tasks, and the tasks need the queue. */
  use(queue: RunQueue): void {
    this.#queue = queue;
  }

  freshSince(): Date {
    return new Date(this.#options.clock.now() - this.#options.settings.scoreCacheMs);
  }

  /** `noCache`: ignores a score that already exists. */
  async create(keyHash: Buffer, subject: Subject, { noCache }: { noCache: boolean } = { noCache: false }): Promise<CreatedTask> {
    const { records, clock, random } = this.#options;
    const { run, started } = await this.#findOrStart(subject, noCache);
    const task_id = await records.openTask(keyHash, run.id, random(16).toString('hex'), new Date(clock.now()));
    await this.#handOut(run, started);
    return { ...knownOf(run.state === 'done' ? run : undefined), task_id };
  }

  /** Starts no score. */
  async known(subject: Subject): Promise<KnownScore> {
    return knownOf(await this.#options.records.findDone(subject, this.freshSince()));
  }

  /** Undefined when the key has no such task. A failure is reported once, then the run is computed again. */
  async query(keyHash: Buffer, taskId: string): Promise<Run | undefined> {
    if (!taskIdForm.test(taskId)) return undefined;
    return this.#continue(await this.#options.records.queryTask(keyHash, taskId, this.#retention()));
  }

  async querySubject(keyHash: Buffer, subject: Subject): Promise<Run | undefined> {
    return this.#continue(await this.#options.records.querySubject(keyHash, subject, this.#retention()));
  }

  /** A fresh score, the one in progress, or a new one. Undefined when it failed or did not arrive in time. */
  async score(subject: Subject, signal: AbortSignal): Promise<FinishedRun | undefined> {
    const { records, clock, settings } = this.#options;
    const { run, started } = await this.#findOrStart(subject);
    if (run.state === 'done') return run;
    await this.#handOut(run, started);
    const start = clock.monotonic();
    const look = async (): Promise<Run | 'gone' | undefined> => {
      const seen = (await records.find(run.id)) ?? 'gone';
      if (seen === 'gone' || seen.state !== 'running') return seen;
      if (clock.monotonic() - start > settings.requeueAfterMs) await this.#recover(run.id);
      return undefined;
    };
    const seen = await this.#waiting.until(run.id, look, { limitMs: settings.syncWaitMs, signal });
    return seen !== undefined && seen !== 'gone' && seen.state === 'done' ? seen : undefined;
  }

  ended(runId: string): void {
    this.#waiting.tell(runId);
  }

  async maintain(): Promise<void> {
    const { records, clock, settings } = this.#options;
    await this.#recover();
    const now = clock.now();
    const tasksBefore = new Date(now - settings.taskRetentionMs);
    const runsBefore = new Date(now - settings.scoreCacheMs - settings.requeueAfterMs);
    await records.sweep({ tasksBefore, runsBefore, limit: sweepLimit });
  }

  #findOrStart(subject: Subject, noCache = false): Promise<{ run: Run; started: boolean }> {
    const { records, clock, newRunId } = this.#options;
    const now = new Date(clock.now());
    return records.findOrStart(subject, { newId: newRunId(), now, since: noCache ? now : this.freshSince() });
  }

  async #handOut(run: Run, started: boolean): Promise<void> {
    if (started) await this.#enqueue(run.id, 1);
    else if (run.state === 'running') await this.#recover(run.id);
  }

  #retention(): { now: Date; since: Date } {
    const now = this.#options.clock.now();
    return { now: new Date(now), since: new Date(now - this.#options.settings.taskRetentionMs) };
  }

  async #continue(run: Run | undefined): Promise<Run | undefined> {
    const { records, clock } = this.#options;
    if (run?.state === 'running') await this.#recover(run.id);
    if (run?.state === 'failed') {
      const turn = await records.retry(run.id, new Date(clock.now()));
      if (turn !== undefined) await this.#enqueue(run.id, turn);
    }
    return run;
  }

  async #recover(runId?: string): Promise<void> {
    const { records, clock, settings } = this.#options;
    const now = clock.now();
    const overdue = await records.claimOverdue({
      before: new Date(now - settings.requeueAfterMs),
      now: new Date(now),
      limit: runId === undefined ? recoveryLimit : 1,
      ...(runId === undefined ? {} : { runId }),
    });
    for (const { id, turn } of overdue) await this.#enqueue(id, turn);
  }

  async #enqueue(runId: string, turn: number): Promise<void> {
    const { clock, logger } = this.#options;
    const handed = (this.#queue?.enqueue(runId, turn) ?? Promise.resolve()).catch((error: unknown) =>
      logger.warn({ err: error }, 'a run could not be queued; it will be queued again'),
    );
    await within(clock, enqueueLimitMs, handed, { late: () => undefined });
  }
}

function knownOf(run: FinishedRun | undefined): KnownScore {
  return { has_result: run !== undefined, scanned_ts: run === undefined ? 0 : scannedTs(run.scannedAt) };
}

/** Unix seconds. */
export function scannedTs(scannedAt: Date): number {
  return Math.floor(scannedAt.getTime() / 1000);
}
