import type { Queryable } from '@weir/postgres';
import type { Assessment } from '@weir/risk-engine';
import type { Subject } from './subject.ts';

/** One computation of a score. The table is the truth about it; the queue only carries it out. */
export interface Run {
  readonly id: string;
  readonly state: 'running' | 'done';
  readonly result: Assessment | null;
  readonly scannedAt: Date | null;
}

interface RunRow {
  readonly id: string;
  readonly state: 'running' | 'done';
  readonly result: Assessment | null;
  readonly scanned_at: Date | null;
  readonly [column: string]: unknown;
}

const runColumns = 'r.id, r.state, r.result, r.scanned_at';

function runOf(row: RunRow): Run {
  return { id: row.id, state: row.state, result: row.result, scannedAt: row.scanned_at };
}

/** The records of runs and of the tasks that show them. Times are given, not taken from the database. */
export class RunRecords {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The score computed after `since`, else the run under way, else a new run with `newId`. Of many replicas one starts it. */
  async findOrStart(subject: Subject, options: { newId: string; now: Date; since: Date }): Promise<{ run: Run; started: boolean }> {
    const { rows } = await this.#db.query<RunRow & { started: boolean }>(
      `SELECT run_id AS id, run_state AS state, run_result AS result, run_scanned_at AS scanned_at, started
       FROM risk.find_or_start($1, $2, $3, $4, $5, $6, $7)`,
      [subject.chain, subject.kind, subject.value, subject.direction, options.since, options.newId, options.now],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a run could be neither found nor started');
    return { run: runOf(row), started: row.started };
  }

  /** What is to be computed, or undefined when it is done or gone. */
  async subjectOf(runId: string): Promise<Subject | undefined> {
    const { rows } = await this.#db.query<{
      chain: Subject['chain'];
      kind: Subject['kind'];
      subject: string;
      direction: Subject['direction'];
    }>(`SELECT chain, kind, subject, direction FROM risk.runs WHERE id = $1 AND state = 'running'`, [runId]);
    const row = rows[0];
    return row && { chain: row.chain, kind: row.kind, value: row.subject, direction: row.direction };
  }

  /** Stores the result; of a run carried out twice the first result stands. */
  async finish(runId: string, result: Assessment, scannedAt: Date): Promise<void> {
    await this.#db.query(`UPDATE risk.runs SET state = 'done', result = $2, scanned_at = $3 WHERE id = $1 AND state = 'running'`, [
      runId,
      JSON.stringify(result),
      scannedAt,
    ]);
  }

  /**
   * Runs whose job must be lost, for they were handed out before `before`: claimed for this caller, with the number of their next turn.
   * Of several replicas one gets each.
   */
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

  /** A task that shows the run to the holder of the key: the one there is, or a new one with `newId`. */
  async openTask(keyHash: Buffer, runId: string, newId: string, now: Date): Promise<string> {
    const { rows } = await this.#db.query<{ id: string }>(
      `INSERT INTO risk.tasks AS t (id, key_sha256, run_id, last_query_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key_sha256, run_id) DO UPDATE SET last_query_at = greatest(t.last_query_at, excluded.last_query_at) RETURNING id`,
      [newId, keyHash, runId, now],
    );
    return rows[0]?.id ?? newId;
  }

  /** The run behind a task of that key queried or made after `since`; notes the query. */
  async queryTask(keyHash: Buffer, taskId: string, options: { now: Date; since: Date }): Promise<Run | undefined> {
    const { rows } = await this.#db.query<RunRow>(
      `UPDATE risk.tasks t SET last_query_at = greatest(t.last_query_at, $3) FROM risk.runs r
       WHERE t.id = $1 AND t.key_sha256 = $2 AND t.last_query_at > $4 AND r.id = t.run_id RETURNING ${runColumns}`,
      [taskId, keyHash, options.now, options.since],
    );
    return rows[0] && runOf(rows[0]);
  }

  /** Drops tasks not queried since `tasksBefore`, and runs begun before `runsBefore` that no task shows. */
  async sweep(options: { tasksBefore: Date; runsBefore: Date; limit: number }): Promise<number> {
    const tasks = await this.#db.query(
      'DELETE FROM risk.tasks WHERE id IN (SELECT id FROM risk.tasks WHERE last_query_at <= $1 LIMIT $2)',
      [options.tasksBefore, options.limit],
    );
    const runs = await this.#db.query(
      `DELETE FROM risk.runs WHERE id IN (
         SELECT id FROM risk.runs r WHERE created_at <= $1 AND NOT EXISTS (SELECT FROM risk.tasks t WHERE t.run_id = r.id)
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [options.runsBefore, options.limit],
    );
    return (tasks.rowCount ?? 0) + (runs.rowCount ?? 0);
  }
}
