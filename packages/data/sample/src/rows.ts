import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';

export type Row = Readonly<Record<string, string>>;

/** Streams a file in `data/`, one record at a time, by its header's names. */
export async function* readRows(file: string): AsyncGenerator<Row> {
  const parser = parse({ columns: true });
  // `pipeline` needs a callback. A failed read destroys the parser, and the loop below throws the error.
  pipeline(createReadStream(new URL(`../data/${file}`, import.meta.url)), parser, () => {});
  for await (const row of parser) yield row as Row;
}

/** Null for an empty cell. Throws without the column. */
export function optional(row: Row, column: string): string | null {
  const value = row[column];
  if (value === undefined) throw new TypeError(`sample file without column ${column}`);
  return value === '' ? null : value;
}

/** Throws for an empty cell. */
export function required(row: Row, column: string): string {
  const value = optional(row, column);
  if (value === null) throw new TypeError(`sample row without ${column}: ${JSON.stringify(row)}`);
  return value;
}
