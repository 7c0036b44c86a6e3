import type { NewToken } from '@weir/chains';
import { readCsvFile } from '../csv-file.ts';
import { UsageError } from '../failure.ts';

export interface TokenRow {
  readonly token: NewToken;
  /** For a person: `line 3: `. */
  readonly place: string;
}

const columns = ['symbol', 'chain', 'contract', 'decimals'];

/** Throws `UsageError` for a file that is no such table. */
export function readTokens(file: string): TokenRow[] {
  const rows = readCsvFile(file);
  if (rows.length === 0) throw new UsageError(`${file} has no tokens`);
  return rows.map(({ record, info }) => {
    const missing = columns.find((name) => (record[name] ?? '') === '');
    if (missing !== undefined) throw new UsageError(`${file}, line ${info.lines}: no ${missing}`);
    const { symbol = '', chain = '', contract = '', decimals = '' } = record;
    const token = { symbol, chain, contract, decimals: /^\d{1,2}$/.test(decimals) ? Number(decimals) : Number.NaN };
    return { token, place: `line ${info.lines}: ` };
  });
}
