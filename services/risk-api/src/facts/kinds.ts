import type { LabelRow, TransferRow } from '@weir/chain-import';
import type { FactBatch } from './fact-batch.ts';
import { labelBatch } from './label-batch.ts';
import { transferBatch } from './transfer-batch.ts';

export interface FactRows {
  readonly labels: LabelRow;
  readonly transfers: TransferRow;
}

export type FactKind = keyof FactRows;

export const newBatch: { readonly [K in FactKind]: () => FactBatch<FactRows[K]> } = { labels: labelBatch, transfers: transferBatch };
