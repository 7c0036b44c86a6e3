import type { LabelRow, TransferRow } from '@weir/chain-import';
import * as store from '@weir/chain-store';
import type { Pool } from '@weir/postgres';

/** Imports whose changes outdate the scores that read them. */
export function importChainRecords<K extends store.RecordKind>(
  pool: Pool,
  options: Omit<store.ImportOptions<K>, 'observer'>,
): Promise<store.ImportRun> {
  return store.importChainRecords<K>(pool, { ...options, observer: store.changeRecorder });
}

export function loadLabels(pool: Pool, rows: AsyncIterable<LabelRow> | Iterable<LabelRow>): Promise<store.Loaded> {
  return store.loadLabels(pool, rows, store.changeRecorder);
}

export function loadTransfers(pool: Pool, rows: AsyncIterable<TransferRow> | Iterable<TransferRow>): Promise<store.Loaded> {
  return store.loadTransfers(pool, rows, store.changeRecorder);
}

export function withdrawLabels(pool: Pool, what: store.Withdrawn, why: store.Correction): Promise<number> {
  return store.withdrawLabels(pool, what, why, store.changeRecorder);
}

export function endLabels(pool: Pool, what: store.Ended, why: store.Correction): Promise<number> {
  return store.endLabels(pool, what, why, store.changeRecorder);
}
