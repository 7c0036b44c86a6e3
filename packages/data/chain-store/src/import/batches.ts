import type { SourceRecord } from '@weir/chain-import';
import type { Clock } from '@weir/clock';
import { advisoryLock, type Pool, type Queryable, transaction } from '@weir/postgres';
import { type BatchTransaction, type ChainBatch, nothingStored, type StoredBatch } from './chain-batch.ts';
import { newBatch, type RecordKind, type RecordRows } from './kinds.ts';
import type { ImportObserver } from './observer.ts';

/**
 * About 200,000 transfers. Each batch touches nearly every index page, so larger ones make a row cheaper; smaller ones lose less at a
 * kill.
 */
const defaultBatchBytes = 48 * 1024 * 1024;
/** Records without rows take no memory, and storing the progress costs nothing. */
const emptyRecords = 100_000;
/** Commits a slow source this often, so that a kill costs only seconds. */
const batchMs = 15_000;
/** A label of an exchange touches millions of edges. */
export const statementTimeoutMs = 600_000;
/** Fresh tables have no statistics. These settings enforce index lookups instead of scans of large tables. */
const batchSettings = `
  SET LOCAL work_mem = '64MB'; SET LOCAL jit = off;
  SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off`;

export interface RecordBatch<K extends RecordKind> {
  readonly rows: ChainBatch<RecordRows[K]>;
  readonly through: number;
  readonly rejected: number;
  /** `full`: by its bytes. `sparse`: by the number of records without rows. `early`: by time, or at the end of the source. */
  readonly closed: 'full' | 'sparse' | 'early';
}

/** `text`: the record's text, or the row as JSON. */
export interface Rejected {
  readonly number: number;
  readonly reason: string;
  readonly text: string;
}

export interface Reading<K extends RecordKind> {
  readonly kind: K;
  readonly records: AsyncIterable<SourceRecord<RecordRows[K]>>;
  readonly after: number;
  /** Rows of the import accepted before. */
  readonly before?: number;
  readonly batchBytes?: number | undefined;
  readonly clock: Clock;
  /** Stops reading. Records already read are still returned. */
  readonly signal?: AbortSignal | undefined;
  readonly onRejected: (rejected: Rejected) => void | Promise<void>;
}

/** Groups records into batches. When the source fails, the whole records before the failure come first. */
export async function* readBatches<K extends RecordKind>(reading: Reading<K>): AsyncGenerator<RecordBatch<K>> {
  const { kind, records, clock, signal, onRejected, batchBytes = defaultBatchBytes } = reading;
  let [last, before] = [reading.after, reading.before ?? 0];
  const open = () => ({ rows: newBatch[kind](before), through: last, rejected: 0, closed: 'early' as RecordBatch<K>['closed'] });
  let batch = open();
  let [taken, whole, since] = [0, true, clock.monotonic()];
  try {
    for await (const record of records) {
      if (!(record.number > last)) throw new Error(`the source gave record ${record.number} after ${last}`);
      whole = false;
      for (const rejected of addRecord(batch.rows, record)) {
        await onRejected(rejected);
        batch.rejected += 1;
      }
      [whole, last, taken] = [true, record.number, taken + 1];
      batch.through = last;
      if (signal?.aborted) break;
      if (batch.rows.bytes >= batchBytes) batch.closed = 'full';
      else if (taken - batch.rows.count >= emptyRecords) batch.closed = 'sparse';
      else if (clock.monotonic() - since < batchMs) continue;
      yield batch;
      before += batch.rows.count;
      batch = open();
      [taken, since] = [0, clock.monotonic()];
    }
  } catch (error) {
    if (taken > 0 && whole) yield batch;
    throw error;
  }
  if (taken > 0) yield batch;
}

function* addRecord<Row>(rows: ChainBatch<Row>, record: SourceRecord<Row>): Generator<Rejected> {
  const { number } = record;
  if ('rejected' in record) return yield { number, reason: record.rejected, text: record.text };
  for (const row of record.rows) {
    const reason = rows.add(row);
    if (reason !== undefined) yield { number, reason, text: JSON.stringify(row) };
  }
  const reason = record.co_spend === undefined ? undefined : rows.addCoSpend?.(record.co_spend);
  if (reason !== undefined) yield { number, reason, text: JSON.stringify(record.co_spend) };
}

export interface Steps<K extends RecordKind> {
  readonly observer: ImportObserver;
  readonly run?: string;
  /** Runs in the batch's transaction. */
  readonly within?: (stored: StoredBatch, tx: Queryable) => Promise<void>;
  readonly committed?: (batch: RecordBatch<K>, stored: StoredBatch) => void;
}

/** One batch is stored while the next is read, so two are in memory at most. */
export async function storeBatches<K extends RecordKind>(
  batches: AsyncIterable<RecordBatch<K>>,
  store: (batch: RecordBatch<K>) => Promise<void>,
): Promise<void> {
  let storing = Promise.resolve();
  try {
    for await (const batch of batches) {
      await storing;
      storing = store(batch);
      // Prevents an unhandled rejection: the promise is awaited one batch later.
      storing.catch(() => undefined);
    }
  } finally {
    await storing;
  }
}

/** Two concurrent batches could lock each other's rows in opposite order. */
export async function beginBatch(tx: Queryable): Promise<void> {
  await tx.query(`SELECT ${advisoryLock('chain-import')}`);
  await tx.query(batchSettings);
}

export async function storeBatch<K extends RecordKind>(pool: Pool, batch: RecordBatch<K>, steps: Steps<K>): Promise<void> {
  const work = async (on: BatchTransaction): Promise<StoredBatch> => {
    await beginBatch(on.tx);
    const stored = batch.rows.bytes === 0 ? nothingStored : await batch.rows.store(on);
    await steps.within?.(stored, on.tx);
    return stored;
  };
  const stored = await transaction(pool, (tx, client) => work({ tx, client, observer: steps.observer, run: steps.run }), {
    statementTimeoutMs,
    copies: true,
  });
  steps.committed?.(batch, stored);
}
