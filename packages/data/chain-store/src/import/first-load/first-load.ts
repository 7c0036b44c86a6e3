import { type Chain, nobodiesOf } from '@weir/chains';
import { advisoryLock, openPool, type Pool, type Queryable, transaction } from '@weir/postgres';
import { beginBatch, type RecordBatch, statementTimeoutMs } from '../batches.ts';
import { recordTransfers } from '../chain-data.ts';
import type { StoredBatch } from '../chain-batch.ts';
import { addToPrices } from '../day-prices.ts';
import { ImportConflict, type ImportRun } from '../import-runs.ts';
import type { RecordKind } from '../kinds.ts';
import type { ImportObserver } from '../observer.ts';
import { storeTransfers } from '../transfer-batch.ts';
import { dropStaged, stageBatch, type StagedBatch, stagedBatches, stagingTable } from './staged-rows.ts';
import { buildSums, buildTransfers, loadedTables, mergeRepeated } from './tables.ts';
import { emptySchema, replaceByTwin, schema } from './twins.ts';

/** Records that are stored together. */
export interface ImportedPart {
  /** The last record. */
  readonly through: number;
  readonly rejected: number;
  readonly rows: number;
  readonly chains: ReadonlySet<Chain>;
}

interface Loading {
  readonly run: ImportRun;
  readonly observer: ImportObserver;
  /** Adds the part to the import's progress. */
  readonly advance: (tx: Queryable, part: ImportedPart, stored: StoredBatch) => Promise<void>;
}

/** Below it, a batch is as quick as building the tables. */
const fewestRows = 20_000;
/** Building the tables sorts these rows on disk: about 10 GB, and four minutes. Further rows are added batch by batch. */
const mostRows = 10_000_000;
const buildSettings = `SET LOCAL work_mem = '128MB'; SET LOCAL maintenance_work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL idle_in_transaction_session_timeout = 0`;

/**
 * Loads the first transfers into empty tables, at several times the speed of batches. Batches are staged without indexes, as durable as
 * others. At the end the tables are built beside the empty ones, each index by sorting, and take their place in one transaction. Should
 * another import have stored transfers by then, the staged batches are stored one by one.
 */
export class FirstLoad {
  readonly #pool: Pool;
  readonly #loading: Loading;
  #batches: StagedBatch[];

  /** With the batches that an interrupted process has staged. */
  static async open(pool: Pool, loading: Loading): Promise<FirstLoad> {
    return new FirstLoad(pool, loading, await stagedBatches(pool, loading.run));
  }

  private constructor(pool: Pool, loading: Loading, batches: StagedBatch[]) {
    this.#pool = pool;
    this.#loading = loading;
    this.#batches = batches;
  }

  /** The last staged record. */
  get through(): number | undefined {
    return this.#batches.at(-1)?.through;
  }

  /** The staged rows. */
  get rows(): number {
    return this.#batches.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** False: the batch is left to the caller. A batch closed early ends the load: its source is slow, or at its end. */
  async add(batch: RecordBatch<RecordKind>): Promise<boolean> {
    const begins = async (): Promise<boolean> => (batch.closed === 'full' || batch.rows.count >= fewestRows) && (await isEmpty(this.#pool));
    // Staged batches are told apart by the rows before them.
    if (batch.rows.count === 0) await this.finish();
    if (batch.rows.count === 0 || (this.#batches.length === 0 && !(await begins()))) return false;
    this.#batches.push(await stageBatch(this.#pool, this.#loading, this.rows, batch));
    if (batch.closed === 'early' || this.rows >= mostRows) await this.finish();
    return true;
  }

  /** Moves the staged rows into the tables. */
  async finish(): Promise<void> {
    if (this.#batches.length === 0) return;
    try {
      if (!(await this.#load())) await this.#storeEach();
    } finally {
      // After a failure the next import goes on with them.
      this.#batches = [];
    }
  }

  async #load(): Promise<boolean> {
    const { run } = this.#loading;
    // A second connection, because each uses one core.
    const other = openPool({ url: this.#pool.url, max: 1, statementTimeoutMs });
    const besides = <T>(work: (tx: Queryable) => Promise<T>): Promise<T> =>
      transaction(other, async (tx) => {
        await tx.query(buildSettings);
        return work(tx);
      });
    try {
      return await transaction(
        this.#pool,
        async (tx) => {
          await tx.query(`SELECT ${advisoryLock('chain-import')}`);
          if ((await stagedBatches(tx, run)).length !== this.#batches.length) throw new ImportConflict(run.key);
          if (!(await isEmpty(tx))) return false;
          await tx.query(buildSettings);
          const stored = await besides(async (db) => {
            await emptySchema(db);
            return mergeRepeated(db, stagingTable(run));
          });
          await together([buildTransfers(tx), besides((db) => buildSums(db, [...this.#chains()].flatMap(nobodiesOf)))]);
          await this.#complete(tx, stored);
          return true;
        },
        { statementTimeoutMs },
      );
    } finally {
      await other.end();
    }
  }

  async #complete(tx: Queryable, stored: StoredBatch): Promise<void> {
    const { run, observer, advance } = this.#loading;
    await addToPrices(tx, stagingTable(run));
    // The connection may have tables of earlier batches.
    await tx.query('DROP TABLE IF EXISTS pg_temp.transfer_changes');
    await tx.query(`CREATE TEMP VIEW transfer_changes AS SELECT * FROM ${schema}.changes`);
    await recordTransfers(tx, 'pg_temp.transfer_changes');
    await observer.transfersStored(tx);
    await tx.query('DROP VIEW pg_temp.transfer_changes');
    const rejected = this.#batches.reduce((sum, batch) => sum + batch.rejected, 0);
    await advance(tx, { through: this.through ?? run.records, rejected, rows: this.rows, chains: this.#chains() }, stored);
    // Autovacuum may look at them; it gives way after a second, in which readers should not wait.
    await tx.query(
      `LOCK TABLE ${[stagingTable(run), ...loadedTables.map((table) => `${schema}.${table}`)].join(', ')} IN ACCESS EXCLUSIVE MODE`,
    );
    await lockTables(tx);
    for (const table of loadedTables) await replaceByTwin(tx, table);
    await tx.query(`DROP SCHEMA ${schema} CASCADE`);
    await dropStaged(tx, run);
  }

  async #storeEach(): Promise<void> {
    const { run, observer, advance } = this.#loading;
    await this.#pool.query(`CREATE INDEX IF NOT EXISTS staged_order_${run.id} ON ${stagingTable(run)} USING brin (n)`);
    for (const batch of this.#batches) {
      const { before, rows } = batch;
      const chains = new Set(batch.chains);
      const give = (tx: Queryable): Promise<unknown> =>
        tx.query(`INSERT INTO pg_temp.given_transfers SELECT * FROM ${stagingTable(run)} WHERE n >= $1 AND n < $2`, [
          before,
          before + rows,
        ]);
      await transaction(
        this.#pool,
        async (tx, client) => {
          await beginBatch(tx);
          const stored = await storeTransfers({ tx, client, observer }, chains, rows, () => give(tx));
          await advance(tx, { ...batch, chains }, stored);
          await tx.query('DELETE FROM chain.staged_batches WHERE run_id = $1 AND before = $2', [run.id, before]);
        },
        { statementTimeoutMs },
      );
    }
    await dropStaged(this.#pool, run);
  }

  #chains(): ReadonlySet<Chain> {
    return new Set(this.#batches.flatMap(({ chains }) => chains));
  }
}

async function isEmpty(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM chain.transfers) AS empty');
  return rows[0]?.empty === true;
}

/** Ends both before it rejects, so that no statement follows a rollback. */
async function together(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((ended) => ended.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const lockTimeoutMs = 500;
const lockAttempts = 120;

/** Readers lock the tables in other orders. Giving up early and trying again keeps a deadlock from undoing the load. */
async function lockTables(tx: Queryable): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await tx.query('SAVEPOINT unlocked');
    try {
      await tx.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      await tx.query(`LOCK TABLE ${loadedTables.map((table) => `chain.${table}`).join(', ')} IN ACCESS EXCLUSIVE MODE`);
      await tx.query('SET LOCAL lock_timeout = 0');
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55P03' || attempt === lockAttempts) throw error;
      await tx.query('ROLLBACK TO SAVEPOINT unlocked');
    }
  }
}
