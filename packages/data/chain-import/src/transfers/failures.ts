import { required, Unusable } from '../source/fields.ts';
import { readTable } from '../source/table.ts';
import { succeeded } from './rows.ts';

/** Kept in memory; a year of Ethereum has some ten million failures. */
const mostFailed = 10_000_000;
const hashes = ['transaction_hash', 'hash', 'tx_hash'] as const;
const statuses = ['status', 'receipt_status'] as const;

/**
 * Reads failed transactions from tables of receipts, for exports of transactions without a status. Throws for other files
 * and broken records.
 */
export async function readFailures(paths: readonly string[]): Promise<(txid: string) => boolean> {
  const failed = new Set<string>();
  for (const path of paths) {
    await readTable(path, [hashes, statuses], (fields) => {
      if (!succeeded(fields, ...statuses)) failed.add(required(fields, ...hashes).toLowerCase());
      if (failed.size > mostFailed) throw new Unusable(`more than ${mostFailed} failed transactions; import in parts`);
    });
  }
  return (txid) => failed.has(txid.toLowerCase());
}
