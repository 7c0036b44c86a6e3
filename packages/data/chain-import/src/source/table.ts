import { basename } from 'node:path';
import { Unusable } from './fields.ts';
import { readRecords } from './file.ts';
import type { Fields } from './records.ts';

/**
 * Reads an auxiliary file, such as prices. Needs one column of each group in `columns`.
 * Throws at any problem with file and record, because a silent error would spoil the import.
 */
export async function readTable(path: string, columns: readonly (readonly string[])[], visit: (fields: Fields) => void): Promise<void> {
  const checkHeader = (found: readonly string[]): void => {
    const missing = columns.find((names) => !names.some((name) => found.includes(name)));
    if (missing !== undefined) throw new Error(`there is no column ${missing.join(' or ')}`);
  };
  for await (const record of await readRecords(path, { checkHeader }, 0)) {
    const where = `${basename(path)}: record ${record.number}`;
    if ('rejected' in record) throw new Error(`${where}: ${record.rejected}`);
    try {
      visit(record.fields);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      throw new Error(`${where}: ${error.message}`, { cause: error });
    }
  }
}
