import { readFileSync } from 'node:fs';
import type { NewToken } from '@weir/chains';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../failure.ts';

export interface TokenRow {
  readonly token: NewToken;
  /** For a person: `line 3: `. */
  readonly place: string;
}

const columns = ['symbol', 'chain', 'contract', 'decimals'];

/** Throws `UsageError` for a file that is no such table. */
export function readTokens(file: string): TokenRow[] {
  const rows = parsed(file);
  if (rows.length === 0) throw new UsageError(`${file} has no tokens`);
  return rows.map(({ record, info }) => {
    const missing = columns.find((name) => (record[name] ?? '') === '');
    if (missing !== undefined) throw new UsageError(`${file}, line ${info.lines}: no ${missing}`);
    const { symbol = '', chain = '', contract = '', decimals = '' } = record;
    const token = { symbol, chain, contract, decimals: /^\d{1,2}$/.test(decimals) ? Number(decimals) : Number.NaN };
    return { token, place: `line ${info.lines}: ` };
  });
}

function parsed(file: string): { record: Readonly<Record<string, string>>; info: { lines: number } }[] {
  try {
    return parse(readFileSync(file), { columns: true, trim: true, bom: true, skip_empty_lines: true, info: true });
  } catch (error) {
    throw new UsageError(`${file} cannot be read as CSV: ${(error as Error).message}`, { cause: error });
  }
}
