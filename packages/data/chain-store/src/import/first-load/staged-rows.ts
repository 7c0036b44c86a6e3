import type { Chain } from '@weir/chains';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { beginBatch, type RecordBatch, statementTimeoutMs } from '../batches.ts';
import type { ImportObserver } from '../observer.ts';
import { ImportConflict, type ImportRun } from '../import-runs.ts';
import { givenColumns } from '../transfer-batch.ts';

/** A batch whose rows wait in the staging table. */
export interface StagedBatch {
  /** The last record. */
  readonly through: number;
  readonly rejected: number;
  /** Rows of the import before it, and its own. */
  readonly before: number;
  readonly rows: number;
  readonly chains: readonly Chain[];
}

/** The staging table of an import. It begins with the first batch and ends with the load. */
export function stagingTable(run: ImportRun): string {
  return `chain.staged_transfers_${run.id}`;
}

export async function stagedBatches(db: Queryable, run: ImportRun): Promise<StagedBatch[]> {
  const { rows } = await db.query<StagedBatch & Record<string, unknown>>(
    `SELECT through::float8, rejected::float8, before::float8, rows::float8, chains FROM chain.staged_batches WHERE run_id = $1 ORDER BY before`,
    [run.id],
  );
  return rows;
}

/** Throws ImportConflict when another process stages the same import. */
export async function stageBatch(
  pool: Pool,
  { run, observer }: { run: ImportRun; observer: ImportObserver },
  before: number,
  batch: RecordBatch<'transfers'>,
): Promise<StagedBatch> {
  const { rows, through, rejected } = batch;
  const staged = { through, rejected, before, rows: rows.count, chains: [...rows.chains] };
  await transaction(
    pool,
    async (tx, client) => {
      await beginBatch(tx);
      // As in other batches, a crash of PostgreSQL loses the rows together with their progress.
      await tx.query('SET LOCAL synchronous_commit = off');
      const { rowCount } = await tx.query(
        `INSERT INTO chain.staged_batches (run_id, before, rows, through, rejected, chains) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [run.id, before, staged.rows, through, rejected, staged.chains],
      );
      if (rowCount !== 1) throw new ImportConflict(run.key);
      await tx.query(`CREATE TABLE IF NOT EXISTS ${stagingTable(run)} (${givenColumns})`);
      await rows.stage?.({ tx, client, observer, run: run.id }, stagingTable(run));
    },
    { statementTimeoutMs, copies: true },
  );
  return staged;
}

export async function dropStaged(db: Queryable, run: ImportRun): Promise<void> {
  await db.query('DELETE FROM chain.staged_batches WHERE run_id = $1', [run.id]);
  await db.query(`DROP TABLE ${stagingTable(run)}`);
}
