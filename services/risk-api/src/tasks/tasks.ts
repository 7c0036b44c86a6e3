import type { Clock } from '@weir/clock';
import { type Assessment, type RiskStore, scoreAddress, scoreTransaction } from '@weir/risk-engine';
import type { Logger } from '@weir/service-kit';
import type { RunQueue } from './queue.ts';
import { type Run, type RunRecords } from './runs.ts';
import type { Subject } from './subject.ts';

export interface TaskSettings {
  /** How long a score answers further creates. */
  readonly scoreCacheMs: number;
  /** How long a task is kept after its last query. */
  readonly taskRetentionMs: number;
  /** A run handed out longer ago than this and not done is handed out again: its process was killed, or its job lost. */
  readonly requeueAfterMs: number;
}

export interface TasksOptions {
  readonly records: RunRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: TaskSettings;
  readonly random: (bytes: number) => Buffer;
  readonly newRunId: () => string;
}

/** The state of a task as its caller sees it. `scannedTs` is in Unix seconds, 0 while there is no result. */
export interface CreatedTask {
  readonly taskId: string;
  readonly hasResult: boolean;
  readonly scannedTs: number;
}

/** At most this many overdue runs are handed out in one go. */
const recoveryLimit = 500;
/** At most this many records of a kind are swept in one go: at one go a minute, 80 new tasks a second. */
const sweepLimit = 5_000;
/** The caller does not wait longer than this for the queue; the record is there, and recovery finds it. */
const enqueueLimitMs = 2_000;

/** Asynchronous scores: create, query, recover, sweep. */
export class Tasks {
  readonly #options: TasksOptions;
  #queue: RunQueue | undefined;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** The queue needs the tasks to work on, and the tasks the queue to hand out with. */
  use(queue: RunQueue): void {
    this.#queue = queue;
  }

  async create(keyHash: Buffer, subject: Subject): Promise<CreatedTask> {
    const { records, clock, settings, random, newRunId } = this.#options;
    const now = clock.now();
    const { run, started } = await records.findOrStart(subject, {
      newId: newRunId(),
      now: new Date(now),
      since: new Date(now - settings.scoreCacheMs),
    });
    const taskId = await records.openTask(keyHash, run.id, random(16).toString('hex'), new Date(now));
    if (started) await this.#enqueue(run.id, 1);
    else if (run.state === 'running') await this.#recover(run.id);
    return { taskId, hasResult: run.state === 'done', scannedTs: scannedTs(run) };
  }

  /** The run of a task, running or done; undefined when the key has no such task. */
  async query(keyHash: Buffer, taskId: string): Promise<Run | undefined> {
    const { records, clock, settings } = this.#options;
    const now = clock.now();
    const run = await records.queryTask(keyHash, taskId, { now: new Date(now), since: new Date(now - settings.taskRetentionMs) });
    if (run?.state === 'running') await this.#recover(run.id);
    return run;
  }

  /** Carries out one run. Safe to be called twice for the same. */
  async work(store: RiskStore, runId: string): Promise<void> {
    const { records, clock } = this.#options;
    const subject = await records.subjectOf(runId);
    if (subject === undefined) return;
    const at = clock.now();
    await records.finish(runId, await scoreSubject(store, subject, at), new Date(at));
  }

  /** Hands out again what is overdue, and drops what is old. */
  async maintain(): Promise<void> {
    const { records, clock, settings } = this.#options;
    await this.#recover();
    const now = clock.now();
    const tasksBefore = new Date(now - settings.taskRetentionMs);
    const runsBefore = new Date(now - settings.scoreCacheMs - settings.requeueAfterMs);
    await records.sweep({ tasksBefore, runsBefore, limit: sweepLimit });
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
    const done = new AbortController();
    const handed = (this.#queue?.enqueue(runId, turn) ?? Promise.resolve())
      .catch((error: unknown) => logger.warn({ err: error }, 'a run could not be handed out; it will be again'))
      .finally(() => done.abort());
    await Promise.race([handed, clock.sleep(enqueueLimitMs, done.signal)]);
  }
}

function scannedTs(run: Run): number {
  return run.scannedAt === null ? 0 : Math.floor(run.scannedAt.getTime() / 1000);
}

/** The score of a subject, now. */
function scoreSubject(store: RiskStore, subject: Subject, atMs: number): Promise<Assessment> {
  return subject.kind === 'address'
    ? scoreAddress(store, subject.chain, subject.value, atMs)
    : scoreTransaction(store, subject.chain, subject.value, subject.direction, atMs);
}
