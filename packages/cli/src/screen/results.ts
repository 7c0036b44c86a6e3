import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { unneutralised } from '@weir/chain-import';
import { type CsvForm, csvLine } from '../csv.ts';
import { UsageError } from '../failure.ts';
import { plain } from '../output.ts';
import type { Column, Row } from './rows.ts';

/** Columns of the result; those of the input row come first. */
const head = [
  'line',
  'coin',
  'address',
  'txid',
  'direction',
  'usd_value',
  'kind',
  'to_address',
  'amount',
  'outcome',
  'score',
  'risk_level',
  'action',
  'reason_codes',
  'rule',
  'exposures',
  'address_label',
  'scanned_at',
  'detail',
] as const;

export type ResultRow = Readonly<Record<(typeof head)[number], string>>;
export type Findings = Omit<ResultRow, 'line' | Column>;

export const headLine = csvLine(head, { keepFormulas: true });

export function resultRow(row: Row, findings: Findings): ResultRow {
  return { line: String(row.line), ...row.cells, ...findings };
}

/** RFC 4180. Every row is one line, so that the last line can repair a truncated file. */
export function toLine(row: ResultRow, form: CsvForm): string {
  return csvLine(
    head.map((name) => plain(row[name])),
    form,
  );
}

/** Equal for rows with the same question. */
export function identityOf(cells: Readonly<Record<Column, string>>): string {
  const asked = [cells.coin, cells.address, cells.txid, cells.direction, cells.usd_value, cells.kind, cells.to_address, cells.amount];
  // Ignores the quotes before formulas, so that a file can be resumed in either form.
  return JSON.stringify(asked.map((cell) => withoutQuotes(plain(cell))));
}

function withoutQuotes(text: string): string {
  const less = unneutralised(text);
  return less === text ? text : withoutQuotes(less);
}

/** A result file opened for appending. */
export interface ResultFile {
  /** How often each question is already answered in it. */
  readonly done: Map<string, number>;
  add(row: ResultRow): void;
  close(): void;
}

/** Opens the result file. With `resume` it continues: a truncated last line and rows without an answer are dropped. */
export function openResults(file: string, { resume, ...form }: CsvForm & { resume: boolean }): ResultFile {
  if (existsSync(file) && !resume) throw new UsageError(`${file} already exists; --resume continues it`);
  const kept = resume && existsSync(file) ? readKept(file, form) : [];
  writeFileSync(`${file}.new`, headLine + kept.map((row) => toLine(row, form)).join(''));
  renameSync(`${file}.new`, file);
  const done = new Map<string, number>();
  for (const row of kept) done.set(identityOf(row), (done.get(identityOf(row)) ?? 0) + 1);
  const handle = openSync(file, 'a');
  return {
    done,
    add: (row) => void writeSync(handle, toLine(row, form)),
    close: () => {
      fsyncSync(handle);
      closeSync(handle);
    },
  };
}

function readKept(file: string, { keepFormulas }: CsvForm): ResultRow[] {
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (text === '' || (whole === '' && headLine.startsWith(text))) return [];
  if (!whole.startsWith(headLine)) throw new UsageError(`${file} is not a result of weir screen; --resume cannot go on with it`);
  const cast = keepFormulas ? (cell: string): string => cell : unneutralised;
  const rows = parse(whole, { columns: true, relax_column_count: true, skip_empty_lines: true, cast }) as unknown as ResultRow[];
  return rows.filter((row) => row.outcome !== 'UNAVAILABLE');
}
