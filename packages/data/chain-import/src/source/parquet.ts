import { basename } from 'node:path';
import { importOptional, optionalPackages } from '@weir/optional-packages';
import type { RawRecord } from './records.ts';

/** Reading must leave memory for the database. */
const config = { memory_limit: '512MB', threads: '2', autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
const rowNumber = 'file_row_number';

/** Rows from 1, after `after`; skips earlier row groups. Large whole numbers, decimals and times are texts. */
export async function* readParquet(path: string, after: number): AsyncGenerator<RawRecord, void, void> {
  // Imported here, because it is large and only Parquet needs it.
  const { DuckDBInstance } = await importOptional('Parquet', optionalPackages.parquet, () => import('@duckdb/node-api'));
  const instance = await DuckDBInstance.create(':memory:', config);
  try {
    const connection = await instance.connect();
    // The function takes glob patterns, so the path's own brackets and stars are escaped.
    const escaped = path.replace(/[[\]*?]/g, '[$&]');
    const result = await connection.stream(`SELECT * FROM read_parquet($1, file_row_number = true) WHERE ${rowNumber} >= $2`, [
      escaped,
      BigInt(after),
    ]);
    for await (const rows of result.yieldRowObjectJson()) {
      for (const { [rowNumber]: number, ...fields } of rows) yield { number: Number(number) + 1, fields };
    }
  } catch (error) {
    throw new Error(`${basename(path)} cannot be read as Parquet: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  } finally {
    instance.closeSync();
  }
}
