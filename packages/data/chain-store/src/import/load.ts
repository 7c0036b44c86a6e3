import type { LabelRow, SourceRecord, TransferRow } from '@weir/chain-import';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { readBatches, type RecordBatch, storeBatch, storeBatches } from './batches.ts';
import type { StoredBatch } from './chain-batch.ts';
import type { RecordKind, RecordRows } from './kinds.ts';
import type { ImportObserver } from './observer.ts';

/** Importing the same rows again makes all of them `unchanged`. */
export interface Loaded {
  /** New rows, and known rows with corrected content. */
  readonly inserted: number;
  readonly unchanged: number;
  /** Rows with an unknown chain, or a wrong address, time or number. */
  readonly rejected: number;
}

/** Imports labels in batches. A kill keeps committed batches, and the same import again reaches the same state. */
export function loadLabels(pool: Pool, rows: AsyncIterable<LabelRow> | Iterable<LabelRow>, observer: ImportObserver): Promise<Loaded> {
  return load(pool, 'labels', rows, observer);
}

export function loadTransfers(
  pool: Pool,
  rows: AsyncIterable<TransferRow> | Iterable<TransferRow>,
  observer: ImportObserver,
): Promise<Loaded> {
  return load(pool, 'transfers', rows, observer);
}

async function load<K extends RecordKind>(
  pool: Pool,
  kind: K,
  rows: AsyncIterable<RecordRows[K]> | Iterable<RecordRows[K]>,
  observer: ImportObserver,
): Promise<Loaded> {
  let [inserted, unchanged, rejected] = [0, 0, 0];
  const batches = readBatches({ kind, records: numbered(rows), after: 0, clock: systemClock, onRejected: () => undefined });
  const committed = (batch: RecordBatch<K>, { changed }: StoredBatch): void => {
    inserted += changed;
    unchanged += batch.rows.count - changed;
    rejected += batch.rejected;
  };
  await storeBatches(batches, (batch) => storeBatch(pool, batch, { observer, committed }));
  return { inserted, unchanged, rejected };
}

async function* numbered<Row>(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<SourceRecord<Row>> {
  let number = 0;
  for await (const row of rows) yield { number: ++number, rows: [row] };
}
