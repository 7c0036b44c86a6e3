import { required, Unusable } from '../source/fields.ts';
import { readTable } from '../source/table.ts';
import { succeeded } from './rows.ts';

/** Kept in memory; of a year of Ethereum some ten million fail. */
const mostFailed = 10_000_000;
const hashes = ['transaction_hash', 'hash', 'tx_hash'] as const;
const statuses = ['status', 'receipt_status'] as const;

/**
 * Which transactions failed, from tables of receipts: for exports whose transactions do not say it. Throws for files that are no receipts, and for broken
 * records.
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
