import type { TransferRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { importChainRecords, type ImportOptions, type ImportRun } from '../../index.ts';
import { emptyChain, recordsOf, unobserved } from '../../testing.ts';

export async function emptyAll(pool: Pool): Promise<void> {
  await emptyChain(pool);
  await pool.query('TRUNCATE chain.chain_data, chain.staged_batches');
}

/** Each record fills a batch, so that all are staged. */
export function importStaged(
  pool: Pool,
  rows: readonly TransferRow[],
  options: Partial<ImportOptions<'transfers'>> = {},
): Promise<ImportRun> {
  return importChainRecords<'transfers'>(pool, {
    kind: 'transfers',
    key: 'key',
    name: 'file.csv',
    clock: new ManualClock(),
    batchBytes: 1,
    observer: unobserved,
    onRejected: () => undefined,
    read: (after) => recordsOf(rows, after),
    ...options,
  });
}

/** Remains of loads that have not ended. */
export async function leftovers(pool: Pool): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM chain.staged_batches) AS batches, (SELECT count(*)::int FROM pg_class WHERE relname LIKE 'staged\\_transfers\\_%') AS tables,
       (SELECT count(*)::int FROM pg_namespace WHERE nspname = 'chain_next') AS schemas`,
  );
  return rows[0];
}

export const noLeftovers = { batches: 0, tables: 0, schemas: 0 };
