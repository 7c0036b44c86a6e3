import type { Queryable } from '@weir/postgres';
import type { Assessment } from '@weir/risk-engine';
import type { ReadSet } from './read-set.ts';
import type { Subject } from '../subject.ts';

/** The table is authoritative; the queue only distributes the work. */
export type Run = { readonly id: string; readonly state: 'running' | 'failed' } | FinishedRun;

export interface FinishedRun {
  readonly id: string;
  readonly state: 'done';
  readonly subject: Subject;
  readonly result: Assessment;
  readonly scannedAt: Date;
}

interface RunRow {
  readonly id: string;
  readonly chain: Subject['chain'];
  readonly kind: Subject['kind'];
  readonly subject: string;
  readonly direction: Subject['direction'];
  readonly state: Run['state'];
  readonly result: Assessment | null;
  readonly scanned_at: Date | null;
  readonly [column: string]: unknown;
}

export interface Scored {
  readonly result: Assessment;
  readonly scannedAt: Date;
  /** The version when the run began. */
  readonly labelsVersion: bigint;
  readonly readSet: ReadSet;
}

export interface TakenRun {
  readonly subject: Subject;
  readonly attempts: number;
  /** A score begun under an earlier version of the labels may miss a change. */
  readonly labelsVersion: bigint;
}

const runColumns = 'r.id, r.chain, r.kind, r.subject, r.direction, r.state, r.result, r.scanned_at';

function runOf({ id, state, result, scanned_at: scannedAt, chain, kind, subject: value, direction }: RunRow): Run {
  if (state !== 'done') return { id, state };
  if (result === null || scannedAt === null) throw new Error('a run is done and has no result');
  return { id, state, subject: { chain, kind, value, direction }, result, scannedAt };
}

/** The caller passes the times. */
export class RunRecords {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The score computed after `since`, else the run in progress, else a new run with `newId`, which one replica starts. */
  async findOrStart(subject: Subject, options: { newId: string; now: Date; since: Date }): Promise<{ run: Run; started: boolean }> {
    const { rows } = await this.#db.query<RunRow & { started: boolean }>(
      `SELECT run_id AS id, $1 AS chain, $2 AS kind, $3 AS subject, $4 AS direction, run_state AS state, run_result AS result,
         run_scanned_at AS scanned_at, started
       FROM risk.find_or_start($1, $2, $3, $4, $5, $6, $7)`,
      [subject.chain, subject.kind, subject.value, subject.direction, options.since, options.newId, options.now],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a run could be neither found nor started');
    return { run: runOf(row), started: row.started };
  }

  /** Excludes a score that a label change has outdated. */
  async findDone(subject: Subject, since: Date): Promise<FinishedRun | undefined> {
    const { rows } = await this.#db.query<RunRow>(
      `SELECT ${runColumns} FROM risk.runs r WHERE r.chain = $1 AND r.kind = $2 AND r.subject = $3 AND r.direction = $4
         AND r.state = 'done' AND r.scanned_at > $5 AND NOT r.outdated ORDER BY r.scanned_at DESC LIMIT 1`,
      [subject.chain, subject.kind, subject.value, subject.direction, since],
    );
    const run = rows[0] && runOf(rows[0]);
    return run?.state === 'done' ? run : undefined;
  }

  async find(runId: string): Promise<Run | undefined> {
    const { rows } = await this.#db.query<RunRow>(`SELECT ${runColumns} FROM risk.runs r WHERE r.id = $1`, [runId]);
    return rows[0] && runOf(rows[0]);
  }

  /** Leases a pending run. Undefined when it is done or gone, or when its worker renewed the lease since `deadBefore`. */
  async begin(runId: string, options: { now: Date; deadBefore: Date }): Promise<TakenRun | undefined> {
    const { rows } = await this.#db.query<RunRow & { attempts: number; version: bigint }>(
      `UPDATE risk.runs SET alive_at = $2, enqueued_at = $2, attempts = attempts + 1
       WHERE id = $1 AND state = 'running' AND (alive_at IS NULL OR alive_at < $3)
       RETURNING chain, kind, subject, direction, attempts, (SELECT version FROM risk.label_state) AS version`,
      [runId, options.now, options.deadBefore],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const { chain, kind, subject: value, direction, attempts, version: labelsVersion } = row;
    return { subject: { chain, kind, value, direction }, attempts, labelsVersion };
  }

  /** Runs without a live worker, the one enqueued first at the front. */
  async waiting(options: { deadBefore: Date; limit: number }): Promise<string[]> {
    const { rows } = await this.#db.query<{ id: string }>(
      `SELECT id FROM risk.runs WHERE state = 'running' AND (alive_at IS NULL OR alive_at < $1) ORDER BY enqueued_at LIMIT $2`,
      [options.deadBefore, options.limit],
    );
    return rows.map(({ id }) => id);
  }

  async stayAlive(runId: string, now: Date): Promise<void> {
    await this.#db.query(`UPDATE risk.runs SET alive_at = $2, enqueued_at = $2 WHERE id = $1 AND state = 'running'`, [runId, now]);
  }

  async release(runId: string): Promise<void> {
    await this.#db.query(`UPDATE risk.runs SET alive_at = NULL WHERE id = $1 AND state = 'running'`, [runId]);
  }

  /**
   * Stores the result and its read set; the first result of a run stands. After a label change since `labelsVersion` it stores nothing and
   * returns the new version. With `last` it stores the result and publishes it as changed.
   */
  async finish(runId: string, scored: Scored, { last }: { last: boolean }): Promise<bigint | undefined> {
    const { result, scannedAt, labelsVersion, readSet } = scored;
    const { rows } = await this.#db.query<{ again: bigint | null }>('SELECT risk.finish_run($1, $2, $3, $4, $5, $6, $7) AS again', [
      runId,
      JSON.stringify(result),
      scannedAt,
      labelsVersion,
      readSet.addresses,
      readSet.sides,
      last,
    ]);
    return rows[0]?.again ?? undefined;
  }

  /** Returns whether the run was pending. */
  async fail(runId: string): Promise<boolean> {
    const { rowCount } = await this.#db.query(
      `UPDATE risk.runs SET state = 'failed', alive_at = NULL WHERE id = $1 AND state = 'running'`,
      [runId],
    );
    return rowCount === 1;
  }

  /** Resets a failed run, unless the subject has another pending run. Returns its next turn to one caller only. */
  async retry(runId: string, now: Date): Promise<number | undefined> {
    const retried = this.#db.query<{ turn: number }>(
      `UPDATE risk.runs r SET state = 'running', attempts = 0, enqueued_at = $2, enqueued = enqueued + 1
       WHERE id = $1 AND state = 'failed' AND NOT EXISTS (SELECT FROM risk.runs o WHERE o.state = 'running'
         AND (o.chain, o.kind, o.subject, o.direction) = (r.chain, r.kind, r.subject, r.direction)) RETURNING enqueued AS turn`,
      [runId, now],
    );
    const { rows } = await retried.catch((error: unknown) => {
      // Two failed runs of one subject were retried concurrently: one is enough.
      if ((error as { code?: unknown }).code === '23505') return { rows: [] };
      throw error;
    });
    return rows[0]?.turn;
  }

  /** Claims runs enqueued before `before`, whose jobs must be lost, with their next turn. One replica gets each. */
  async claimOverdue(options: { before: Date; now: Date; runId?: string; limit?: number }): Promise<{ id: string; turn: number }[]> {
    const { rows } = await this.#db.query<{ id: string; turn: number }>(
      `UPDATE risk.runs SET enqueued_at = $2, enqueued = enqueued + 1 WHERE id IN (
         SELECT id FROM risk.runs WHERE state = 'running' AND enqueued_at < $1 AND ($3::uuid IS NULL OR id = $3)
         ORDER BY enqueued_at LIMIT $4 FOR UPDATE SKIP LOCKED)
       RETURNING id, enqueued AS turn`,
      [options.before, options.now, options.runId ?? null, options.limit ?? 1],
    );
    return rows;
  }

  /** The existing task, or a new one with `newId`. */
  async openTask(keyHash: Buffer, runId: string, newId: string, now: Date): Promise<string> {
    const { rows } = await this.#db.query<{ id: string }>(
      `INSERT INTO risk.tasks AS t (id, key_sha256, run_id, last_query_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key_sha256, run_id) DO UPDATE SET last_query_at = greatest(t.last_query_at, excluded.last_query_at) RETURNING id`,
      [newId, keyHash, runId, now],
    );
    return rows[0]?.id ?? newId;
  }

  /** Undefined unless the key created or queried the task after `since`. Records the query. */
  async queryTask(keyHash: Buffer, taskId: string, options: { now: Date; since: Date }): Promise<Run | undefined> {
    const { rows } = await this.#db.query<RunRow>(
      `UPDATE risk.tasks t SET last_query_at = greatest(t.last_query_at, $3) FROM risk.runs r
       WHERE t.id = $1 AND t.key_sha256 = $2 AND t.last_query_at > $4 AND r.id = t.run_id RETURNING ${runColumns}`,
      [taskId, keyHash, options.now, options.since],
    );
    return rows[0] && runOf(rows[0]);
  }

  async querySubject(keyHash: Buffer, subject: Subject, options: { now: Date; since: Date }): Promise<Run | undefined> {
    const { rows } = await this.#db.query<RunRow>(
      `UPDATE risk.tasks t SET last_query_at = greatest(t.last_query_at, $6) FROM risk.runs r
       WHERE r.id = t.run_id AND t.id = (
         SELECT n.id FROM risk.runs o JOIN risk.tasks n ON n.run_id = o.id AND n.key_sha256 = $1 AND n.last_query_at > $7
         WHERE o.chain = $2 AND o.kind = $3 AND o.subject = $4 AND o.direction = $5
         ORDER BY o.created_at DESC LIMIT 1)
       RETURNING ${runColumns}`,
      [keyHash, subject.chain, subject.kind, subject.value, subject.direction, options.now, options.since],
    );
    return rows[0] && runOf(rows[0]);
  }

  /** Drops tasks not queried since `tasksBefore`, and runs without a task from before `runsBefore`. */
  async sweep(options: { tasksBefore: Date; runsBefore: Date; limit: number }): Promise<number> {
    const tasks = await this.#db.query(
      'DELETE FROM risk.tasks WHERE id IN (SELECT id FROM risk.tasks WHERE last_query_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)',
      [options.tasksBefore, options.limit],
    );
    const runs = await this.#db.query(
      `DELETE FROM risk.runs WHERE id IN (
         SELECT id FROM risk.runs r WHERE created_at <= $1 AND coalesce(scanned_at <= $1, true) AND NOT EXISTS (SELECT FROM risk.tasks t WHERE t.run_id = r.id)
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [options.runsBefore, options.limit],
    );
    return (tasks.rowCount ?? 0) + (runs.rowCount ?? 0);
  }
}
