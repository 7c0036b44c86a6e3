import { basename } from 'node:path';
import { Unusable } from './fields.ts';
import { readRecords } from './file.ts';
import type { Fields } from './records.ts';

/**
 * Reads a file that others are read by, such as prices, and hands each record on. `columns`: of each group one is needed. Throws, naming file and record, for
 * whatever is wrong with it: what depends on such a file must not be wrong unnoticed.
 */
export async function readTable(path: string, columns: readonly (readonly string[])[], visit: (fields: Fields) => void): Promise<void> {
  const checkHeader = (found: readonly string[]): void => {
    const missing = columns.find((names) => !names.some((name) => found.includes(name)));
    if (missing !== undefined) throw new Error(`there is no column ${missing.join(' or ')}`);
  };
  for await (const record of readRecords(path, { checkHeader }, 0)) {
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
