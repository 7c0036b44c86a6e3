import { stringify } from 'csv-stringify/sync';

/** RFC 4180 with a header. No spreadsheet runs a cell as a formula. */
export function csv(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])));
  return stringify([[...columns], ...lines], { record_delimiter: 'windows', escape_formulas: true });
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : JSON.stringify(value);
}
