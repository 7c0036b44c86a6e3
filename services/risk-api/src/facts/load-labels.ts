import { parseAddress } from '@weir/chains';
import type { Pool, Queryable } from '@weir/postgres';
import { findChain } from './chain.ts';
import { columns, isText, type Loaded, loadInBatches, parseTime } from './batches.ts';

/** A label as imported. Valid from `validFrom` (null: always) until before `validTo` (null: still). */
export interface LabelRow {
  readonly chain: string;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  /** ISO 8601; a date alone is midnight UTC. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: string;
}

interface StoredLabel {
  readonly chain: string;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  readonly source: string;
  readonly valid_from: Date | null;
  readonly valid_to: Date | null;
  readonly confidence: number;
}

/**
 * Loads labels. A label is known by chain, address, source, category, name and start; loaded again with another end or confidence (a
 * delisting) it is corrected.
 */
export function loadLabels(pool: Pool, rows: AsyncIterable<LabelRow> | Iterable<LabelRow>): Promise<Loaded> {
  return loadInBatches(pool, rows, parseLabel, storeLabels);
}

function parseLabel(row: LabelRow): { key: string; value: StoredLabel } | undefined {
  const chain = findChain(row.chain);
  const address = chain && parseAddress(chain, row.address);
  const validFrom = row.validFrom === null ? null : parseTime(row.validFrom);
  const validTo = row.validTo === null ? null : parseTime(row.validTo);
  if (chain === undefined || address === undefined || validFrom === undefined || validTo === undefined) return undefined;
  if (![row.name, row.category, row.source].every(isText) || !(row.confidence >= 0 && row.confidence <= 1)) return undefined;
  const { name, category, source, confidence } = row;
  return {
    key: JSON.stringify([chain, address, source, category, name, validFrom]),
    value: { chain, address, name, category, source, valid_from: validFrom, valid_to: validTo, confidence },
  };
}

async function storeLabels(tx: Queryable, batch: readonly StoredLabel[]): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO chain.labels AS l (chain, address, name, category, source, valid_from, valid_to, confidence)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::float8[])
     ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence
     WHERE (l.valid_to, l.confidence) IS DISTINCT FROM (excluded.valid_to, excluded.confidence)`,
    columns(batch, ['chain', 'address', 'name', 'category', 'source', 'valid_from', 'valid_to', 'confidence']),
  );
  return rowCount ?? 0;
}
