import type { LabelRow, TransferRow } from '@weir/chain-import';
import type { ChainBatch } from './chain-batch.ts';
import { labelBatch } from './label-batch.ts';
import { transferBatch } from './transfer-batch.ts';

export interface RecordRows {
  readonly labels: LabelRow;
  readonly transfers: TransferRow;
}

export type RecordKind = keyof RecordRows;

/** `before`: the import's accepted rows before this batch. */
export const newBatch: { readonly [K in RecordKind]: (before: number) => ChainBatch<RecordRows[K]> } = {
  labels: labelBatch,
  transfers: transferBatch,
};
