import type { LabelRow } from '@weir/chain-import';

/** A certain label on Ethereum, without an end. */
export function labelRow(address: string, category: string, name: string, more: Partial<LabelRow> = {}): LabelRow {
  return { chain: 'ethereum', address, category, name, valid_from: null, valid_to: null, confidence: 1, source: 'test', ...more };
}
