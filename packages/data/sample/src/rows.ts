import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';

export type Row = Readonly<Record<string, string>>;

/** Streams the rows of a file in `data/`, one record at a time, by the names in its header. */
export async function* readRows(file: string): AsyncGenerator<Row> {
  const parser = parse({ columns: true });
  // The callback is needed for the call, not for the error: a failed read destroys the parser, and the loop below throws it.
  pipeline(createReadStream(new URL(`../data/${file}`, import.meta.url)), parser, () => {});
  for await (const row of parser) yield row as Row;
}

/** A cell that may be empty, which reads as null. Throws when the file has no such column. */
export function optional(row: Row, column: string): string | null {
  const value = row[column];
  if (value === undefined) throw new TypeError(`sample file without column ${column}`);
  return value === '' ? null : value;
}

/** A cell that must not be empty. */
export function required(row: Row, column: string): string {
  const value = optional(row, column);
  if (value === null) throw new TypeError(`sample row without ${column}: ${JSON.stringify(row)}`);
  return value;
}
