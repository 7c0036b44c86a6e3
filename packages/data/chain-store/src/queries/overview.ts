import { nativeCoin } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { AddressSubject } from './subject.ts';

export interface AddressOverview {
  readonly balance: number;
  readonly txs_count: number;
  /** Unix seconds; 0: never. */
  readonly first_seen: number;
  readonly last_seen: number;
  readonly total_received: number;
  readonly total_spent: number;
  readonly received_txs_count: number;
  readonly spent_txs_count: number;
}

interface Row extends Record<string, unknown> {
  received: number;
  spent: number;
  balance: number;
  received_count: number;
  spent_count: number;
  first_at: Date | null;
  last_at: Date | null;
}

/**
 * Amounts are in the native coin. Counts and times cover all coins; a transfer to oneself counts on both sides. The balance is received
 * minus spent over known transfers.
 */
export async function addressOverview(db: Queryable, { chain, address }: AddressSubject): Promise<AddressOverview> {
  const native = nativeCoin(chain).symbol;
  const { rows } = await db.query<Row>(
    `SELECT coalesce(sum(received_amount) FILTER (WHERE coin = $3), 0)::float8 AS received,
       coalesce(sum(spent_amount) FILTER (WHERE coin = $3), 0)::float8 AS spent,
       coalesce(sum(received_amount - spent_amount) FILTER (WHERE coin = $3), 0)::float8 AS balance,
       coalesce(sum(received_transfers), 0)::float8 AS received_count, coalesce(sum(spent_transfers), 0)::float8 AS spent_count,
       min(first_at) AS first_at, max(last_at) AS last_at
     FROM (SELECT * FROM chain.address_stats WHERE chain = $1 AND address = $2 LIMIT 10000) s`,
    [chain, address, native],
  );
  const [row] = rows;
  return {
    balance: row?.balance ?? 0,
    txs_count: (row?.received_count ?? 0) + (row?.spent_count ?? 0),
    first_seen: seconds(row?.first_at),
    last_seen: seconds(row?.last_at),
    total_received: row?.received ?? 0,
    total_spent: row?.spent ?? 0,
    received_txs_count: row?.received_count ?? 0,
    spent_txs_count: row?.spent_count ?? 0,
  };
}

function seconds(at: Date | null | undefined): number {
  return at === null || at === undefined ? 0 : Math.max(0, Math.floor(at.getTime() / 1000));
}
