import { index, required, Unusable } from '../source/fields.ts';
import { readTable } from '../source/table.ts';

/** Kept in memory; ten million take about a gigabyte. */
const mostIds = 10_000_000;
const columns = [['hash', 'transaction_hash'], ['block_number'], ['transaction_index']] as const;

/** Reads ids by block and index from tables of transactions, for traces without them. Throws for other files and broken records. */
export async function readTransactionIds(paths: readonly string[]): Promise<(height: number, place: number) => string | undefined> {
  const ids = new Map<number, string[]>();
  let count = 0;
  for (const path of paths) {
    await readTable(path, columns, (fields) => {
      const height = index(fields, 'block_number');
      const ofBlock = ids.get(height) ?? [];
      ofBlock[index(fields, 'transaction_index')] = required(fields, 'hash', 'transaction_hash');
      ids.set(height, ofBlock);
      count += 1;
      if (count > mostIds) throw new Unusable(`more than ${mostIds} transactions; import in parts`);
    });
  }
  return (height, place) => ids.get(height)?.[place];
}
