import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** One input row. */
export interface Row {
  /** Its last line in the file, from 1; normally the header is line 1. */
  readonly line: number;
  /** By column; absent ones are empty. */
  readonly cells: Readonly<Record<Column, string>>;
  /** The problem of its form, if any. */
  readonly fault: string | null;
}

const columns = ['coin', 'address', 'txid', 'direction', 'usd_value', 'kind', 'to_address', 'amount'] as const;
export type Column = (typeof columns)[number];

interface Parsed {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/** Bounds the memory that an unclosed quote can take. A valid row is far shorter. */
const longestRecord = 100_000;

/**
 * Streams the rows of a CSV file (RFC 4180) whose first line names the columns. Fails when it cannot be read, or without the columns
 * `coin` and `address` or `txid`.
 */
export async function* readRows(file: string): AsyncGenerator<Row, void, void> {
  const parser = parse({
    bom: true,
    info: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRecord,
  });
  // `pipeline` requires the callback. A failed read destroys the parser, and the loop below throws its error.
  pipeline(createReadStream(file), parser, () => {});
  let names: readonly string[] | undefined;
  let line = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      line = info.lines;
      if (names === undefined) names = headerOf(record, file);
      else
        yield {
          line,
          cells: cellsOf(names, record),
          fault: record.length === names.length ? null : `${record.length} cells where the header has ${names.length}`,
        };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw unreadable(file, error);
    if (names === undefined) throw new Error(`${file} is not CSV: ${said(error)}`, { cause: error });
    yield { line: line + 1, cells: cellsOf(names, []), fault: `${said(error)}; nothing after this line could be read` };
  }
  if (names === undefined) throw new Error(`${file} is empty; its first line must name the columns, such as coin,address`);
}

function headerOf(record: readonly string[], file: string): string[] {
  const names = record.map((name) => name.toLowerCase());
  const twice = columns.find((column) => names.indexOf(column) !== names.lastIndexOf(column));
  if (twice !== undefined) throw new Error(`${file} has the column ${twice} twice`);
  if (names.includes('coin') && (names.includes('address') || names.includes('txid'))) return names;
  throw new Error(
    `${file} needs the columns coin, and address or txid; its first line has ${JSON.stringify(record.join(',').slice(0, 200))}`,
  );
}

function cellsOf(names: readonly string[], record: readonly string[]): Record<Column, string> {
  return Object.fromEntries(columns.map((column) => [column, record[names.indexOf(column)] ?? ''])) as Record<Column, string>;
}

function said(error: CsvError): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is not closed';
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return `a row is longer than ${longestRecord} characters, perhaps for a quote that is not closed`;
  return 'a quote stands where none may be';
}

function unreadable(file: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? (error as Error) : new Error(`${file} cannot be read: ${code}`, { cause: error });
}
