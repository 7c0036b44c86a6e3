import { csvLine } from '../csv.ts';
import { print } from '../output.ts';
import type { EntryLine, LastLine } from './lines.ts';
import { cellOf, exportColumns, type ExportOutput } from './output-columns.ts';
import { openParquet } from './parquet.ts';

export type ExportFormat = 'jsonl' | 'parquet' | 'csv';

export async function openOutput(format: ExportFormat, { keepFormulas }: { keepFormulas: boolean }): Promise<ExportOutput> {
  if (format === 'parquet') return openParquet();
  if (format === 'jsonl') {
    const write = (line: EntryLine | LastLine): Promise<void> => print(`${JSON.stringify(line)}\n`);
    return { write, end: async (last) => (last === undefined ? undefined : write(last)), close: async () => undefined };
  }
  await print(csvLine(exportColumns, { keepFormulas }));
  return {
    write: (line) =>
      print(
        csvLine(
          exportColumns.map((column) => cellOf(line[column]) ?? ''),
          { keepFormulas },
        ),
      ),
    // CSV has no place for a checkpoint.
    end: async () => undefined,
    close: async () => undefined,
  };
}
