import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { TransferRow } from '@weir/chain-import';
import { importChainRecords } from '@weir/risk-api';
import { from as copyFrom } from 'pg-copy-streams';
import { type BenchChain, copyLines } from './rows.ts';

export interface LoadFigures {
  /** Transfers a second, with all sums and indexes. */
  readonly imported: number;
  /** Rows a second of one COPY, with the primary key and without any index. */
  readonly copiedWithKey: number;
  readonly copiedPlain: number;
}

export async function measureLoad(pool: Pool, chain: BenchChain): Promise<LoadFigures> {
  const common = { clock: systemClock, name: 'bench', onRejected: refuse };
  await importChainRecords(pool, { ...common, kind: 'labels', key: 'bench-labels', read: () => chain.labels() });
  const imported = await rate(chain.size, () =>
    importChainRecords(pool, { ...common, kind: 'transfers', key: 'bench-transfers', read: () => chain.transfers(), onProgress: tell }),
  );
  const copiedWithKey = await copyInto(pool, chain, 'PRIMARY KEY (chain, txid, position, coin, from_address, to_address)');
  return { imported, copiedWithKey, copiedPlain: await copyInto(pool, chain, '') };
}

export function refuse({ reason }: { reason: string }): never {
  throw new Error(`the benchmark made a row that is refused: ${reason}`);
}

function tell({ records }: { records: number }): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${records} transfers`);
}

async function rate(rows: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (rows / (performance.now() - began)) * 1_000;
}

async function copyInto(pool: Pool, chain: BenchChain, key: string): Promise<number> {
  await pool.query(`CREATE TABLE bench_copy (LIKE chain.transfers INCLUDING DEFAULTS ${key === '' ? '' : `, ${key}`})`);
  const client = await pool.connect();
  // One COPY of a large chain exceeds a service's statement timeout.
  const copied = await client
    .query('SET statement_timeout = 0')
    .then(() =>
      rate(chain.size, () =>
        pipeline(
          Readable.from(copyLines(chain, columnsOf)),
          client.query(
            untimed(
              copyFrom('COPY bench_copy (chain, txid, position, from_address, to_address, coin, amount, usd, at, source) FROM STDIN'),
            ),
          ),
        ),
      ),
    )
    .finally(() => client.release(true));
  await pool.query('DROP TABLE bench_copy');
  return copied;
}

/** pg reads its timeout from the query object. */
export function untimed<T extends object>(query: T): T {
  return Object.assign(query, { query_timeout: 3_600_000 });
}

export function columnsOf(row: TransferRow): readonly (string | number | null)[] {
  const { chain, txid, position, from_address, to_address, coin, amount, usd_value, time, source } = row;
  return [chain, txid, position, from_address, to_address, coin, amount, usd_value, time, source];
}
