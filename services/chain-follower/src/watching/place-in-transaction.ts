import { positionsFrom, type TransferRow } from '@weir/chain-import';
import { type Chain, isEvm } from '@weir/chains';

/**
 * The rows of one block, with each log at its place among the logged transfers of its transaction, from 1. A source numbers logs within
 * their block, and a reorganisation that puts the transaction into another block would make another deposit of each.
 */
export function placedInTransactions(chain: Chain, rows: readonly TransferRow[]): TransferRow[] {
  if (!isEvm(chain) && chain !== 'tron') return [...rows];
  const logs = new Map<string | null, number>();
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map((row) => {
      if (row.position === 0 || row.position >= positionsFrom.internal) return row;
      const position = (logs.get(row.txid) ?? 0) + 1;
      logs.set(row.txid, position);
      return { ...row, position };
    });
}
