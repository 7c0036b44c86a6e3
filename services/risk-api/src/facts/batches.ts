import type { Clock } from '@weir/clock';
import { advisoryLock, type Pool, type Queryable, transaction } from '@weir/postgres';
import type { SourceRecord } from '@weir/chain-import';
import type { BatchTransaction, FactBatch } from './fact-batch.ts';
import { type FactKind, type FactRows, newBatch } from './kinds.ts';

/**
 * One transaction's part of a source. A batch goes all over the indexes: of a large table it touches nearly every page, so the cost of a row falls
 * with the batch's size, while progress is told and a kill costs the work of one. About 200,000 transfers; two batches are in memory.
 */
const batchBytes = 48 * 1024 * 1024;
/** Records that bring no row take no memory, and storing how far they go costs nothing. */
const emptyRecords = 100_000;
/** A slow source is stored this often, so that a kill costs seconds of it. */
const batchMs = 15_000;
/** A label of an exchange touches millions of edges. */
const statementTimeoutMs = 600_000;
/**
 * Whatever the planner believes of tables that have just been filled: what is known is looked up row by row, in the order of an index, and no large
 * table is read whole.
 */
const settings = `
  SET LOCAL work_mem = '64MB'; SET LOCAL jit = off;
  SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off`;

/** Whole records, read and checked. */
export interface RecordBatch<K extends FactKind> {
  readonly facts: FactBatch<FactRows[K]>;
  /** The number of the last record. */
  readonly through: number;
  readonly rejected: number;
}

/** A row, or a whole record, that cannot be a fact: the record's number, what is wrong, and the record's text or the row as JSON. */
export interface Rejected {
  readonly number: number;
  readonly reason: string;
  readonly text: string;
}

export interface Reading<K extends FactKind> {
  readonly kind: K;
  readonly records: AsyncIterable<SourceRecord<FactRows[K]>>;
  /** The number of the last record before these. */
  readonly after: number;
  readonly clock: Clock;
  /** Aborted, no more is read; what was read is still given. */
  readonly signal?: AbortSignal | undefined;
  readonly onRejected: (rejected: Rejected) => void | Promise<void>;
}

/** Cuts records into batches. When the source fails, the whole records before that are given first. */
export async function* readBatches<K extends FactKind>(reading: Reading<K>): AsyncGenerator<RecordBatch<K>> {
  const { kind, records, clock, signal, onRejected } = reading;
  let last = reading.after;
  let batch = { facts: newBatch[kind](), through: last, rejected: 0 };
  let [taken, whole, since] = [0, true, clock.monotonic()];
  try {
    for await (const record of records) {
      if (!(record.number > last)) throw new Error(`the source gave record ${record.number} after ${last}`);
      whole = false;
      for (const rejected of addRecord(batch.facts, record)) {
        await onRejected(rejected);
        batch.rejected += 1;
      }
      [whole, last, taken] = [true, record.number, taken + 1];
      batch.through = last;
      if (signal?.aborted) break;
      const full = batch.facts.lines.bytes >= batchBytes || taken - batch.facts.lines.count >= emptyRecords;
      if (!full && clock.monotonic() - since < batchMs) continue;
      yield batch;
      batch = { facts: newBatch[kind](), through: last, rejected: 0 };
      [taken, since] = [0, clock.monotonic()];
    }
  } catch (error) {
    if (taken > 0 && whole) yield batch;
    throw error;
  }
  if (taken > 0) yield batch;
}

/** Puts the rows of a record into the batch, and gives those that do not go in. */
function* addRecord<Row>(facts: FactBatch<Row>, record: SourceRecord<Row>): Generator<Rejected> {
  const { number } = record;
  if ('rejected' in record) return yield { number, reason: record.rejected, text: record.text };
  for (const row of record.rows) {
    const reason = facts.add(row);
    if (reason !== undefined) yield { number, reason, text: JSON.stringify(row) };
  }
}

/** What else happens to a batch. */
export interface Steps<K extends FactKind> {
  /** In the same transaction; told how many facts were new or changed. */
  readonly within?: (batch: RecordBatch<K>, changed: number, tx: Queryable) => Promise<void>;
  readonly committed?: (batch: RecordBatch<K>, changed: number) => void;
}

/** Stores batch after batch, each in one transaction, and reads the next one meanwhile; so at most two are in memory. */
export async function storeBatches<K extends FactKind>(pool: Pool, batches: AsyncIterable<RecordBatch<K>>, steps: Steps<K>): Promise<void> {
  let storing = Promise.resolve();
  try {
    for await (const batch of batches) {
      await storing;
      storing = storeBatch(pool, batch, steps);
      // It is awaited a batch later; until then a failure is nobody's.
      storing.catch(() => undefined);
    }
  } finally {
    await storing;
  }
}

async function storeBatch<K extends FactKind>(pool: Pool, batch: RecordBatch<K>, steps: Steps<K>): Promise<void> {
  const work = async (on: BatchTransaction): Promise<number> => {
    // One batch at a time: two could wait for each other's rows in opposite orders.
    await on.tx.query(`SELECT ${advisoryLock('chain-import')}`);
    await on.tx.query(settings);
    const changed = batch.facts.lines.count === 0 ? 0 : await batch.facts.store(on);
    await steps.within?.(batch, changed, on.tx);
    return changed;
  };
  const changed = await transaction(pool, (tx, client) => work({ tx, client }), { statementTimeoutMs, copies: true });
  steps.committed?.(batch, changed);
}
