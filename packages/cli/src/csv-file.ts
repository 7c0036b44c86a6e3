import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { UsageError } from './failure.ts';

export interface CsvRow {
  /** Cells by column. */
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** The rows of a small CSV file with a header. Throws `UsageError` for another file. */
export function readCsvFile(file: string): CsvRow[] {
  try {
    return parse(readFileSync(file), { columns: true, trim: true, bom: true, skip_empty_lines: true, info: true });
  } catch (error) {
    throw new UsageError(`${file} cannot be read as CSV: ${(error as Error).message}`, { cause: error });
  }
}
