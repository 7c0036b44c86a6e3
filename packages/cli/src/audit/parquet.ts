import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importOptional, optionalPackages } from '@weir/optional-packages';
import { UsageError } from '../failure.ts';
import { printBytes } from '../output.ts';
import { cellOf, exportColumns, type ExportOutput } from './output-columns.ts';
import type { EntryLine, LastLine } from './lines.ts';

/** Rows wait in a file, so that memory is left for the database. */
const config = { memory_limit: '512MB', threads: '2', autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };

const columns = `"index"::UBIGINT AS "index", event_id::UUID AS event_id, topic, key, event_time::TIMESTAMP AS event_time, recorded_at::TIMESTAMP AS recorded_at,
  screening_id::UUID AS screening_id, headers, from_base64(value_base64) AS value, data, conflicts_with::UUID AS conflicts_with,
  log_partition::INTEGER AS log_partition, log_offset::BIGINT AS log_offset, erased_by::UUID AS erased_by,
  from_base64(commitment) AS commitment, from_base64(salt) AS salt, from_base64(leaf_hash) AS leaf_hash`;

/** One Parquet file. Times are UTC; headers and data are JSON; the checkpoint is in the metadata of the file as `weir`. */
export async function openParquet(): Promise<ExportOutput> {
  if (process.stdout.isTTY) throw new UsageError('Parquet is not for a terminal: redirect the output into a file');
  const { DuckDBInstance } = await importOptional('Parquet', optionalPackages.parquet, () => import('@duckdb/node-api'));
  const folder = mkdtempSync(join(tmpdir(), 'weir-export-'));
  const instance = await DuckDBInstance.create(join(folder, 'rows.db'), config);
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE rows (${exportColumns.map((column) => `"${column}" VARCHAR`).join(', ')})`);
  const appender = await connection.createAppender('rows');
  const file = join(folder, 'rows.parquet');
  return {
    write: async (line: EntryLine) => {
      for (const column of exportColumns) {
        const cell = cellOf(line[column]);
        if (cell === null) appender.appendNull();
        else appender.appendVarchar(cell);
      }
      appender.endRow();
    },
    end: async (last: LastLine | undefined) => {
      appender.closeSync();
      const metadata = JSON.stringify(last ?? {}).replaceAll("'", "''");
      await connection.run(
        `COPY (SELECT ${columns} FROM rows ORDER BY "index"::UBIGINT) TO '${file}' (FORMAT parquet, KV_METADATA {weir: '${metadata}'})`,
      );
      for await (const bytes of createReadStream(file)) await printBytes(bytes as Buffer);
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
