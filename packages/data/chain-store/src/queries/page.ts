import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';

export interface PageQuery {
  readonly chain: Chain;
  readonly address: string;
  readonly coin: string;
  /** Both inclusive. */
  readonly from: Date;
  readonly to: Date;
  readonly type: 'in' | 'out' | 'all';
  /** From 1. */
  readonly page: number;
}

export interface TransferOf {
  readonly side: 'in' | 'out';
  readonly peer: string;
  readonly txid: string;
  /** In coins; null: unknown. */
  readonly amount: number | null;
}

/** The specification's limit. */
export const pageRows = 1_000;
/** Bounds the rows that a deep page must skip. A time range reaches older transfers. */
export const mostRows = 100_000;

type Side = TransferOf['side'];

/**
 * The page, and the number of transfers up to the bound. Newest first; ties by transaction, position and side, so that pages neither
 * overlap nor have gaps.
 */
export async function pageOf(db: Queryable, query: PageQuery): Promise<{ transfers: TransferOf[]; total: number }> {
  const sides: readonly Side[] = query.type === 'all' ? ['in', 'out'] : [query.type];
  const [transfers, total] = await Promise.all([readPage(db, query, sides), countTransfers(db, query, sides)]);
  return { transfers, total };
}

const columns = { in: ['to_address', 'from_address'], out: ['from_address', 'to_address'] } as const;

/** The index sorts by time, so each side is read from its newest row to the end of this page. */
async function readPage(db: Queryable, { chain, address, coin, from, to, page }: PageQuery, sides: readonly Side[]): Promise<TransferOf[]> {
  const end = page * pageRows;
  const ofSide = (side: Side): string => {
    const [own, peer] = columns[side];
    return `(SELECT '${side}' AS side, ${peer} AS peer, txid, amount, at, position FROM chain.transfers
      WHERE chain = $1 AND ${own} = $2 AND coin = $3 AND at BETWEEN $4 AND $5 ORDER BY at DESC, txid, position, ${peer} LIMIT ${end})`;
  };
  const { rows } = await db.query<TransferOf & Record<string, unknown>>(
    `SELECT side, peer, txid, amount::float8 FROM (${sides.map(ofSide).join(' UNION ALL ')}) t
     ORDER BY at DESC, txid, position, side, peer OFFSET ${end - pageRows} LIMIT ${pageRows}`,
    [chain, address, coin, from, to],
  );
  return rows.map(({ side, peer, txid, amount }) => ({ side, peer, txid, amount }));
}

interface Stats extends Record<string, unknown> {
  received: number;
  spent: number;
  first_at: Date;
  last_at: Date;
}

/** From the address's sums where the range covers them; else counted in the index, up to the bound. */
async function countTransfers(db: Queryable, { chain, address, coin, from, to }: PageQuery, sides: readonly Side[]): Promise<number> {
  const { rows } = await db.query<Stats>(
    `SELECT received_transfers::float8 AS received, spent_transfers::float8 AS spent, first_at, last_at
     FROM chain.address_stats WHERE chain = $1 AND address = $2 AND coin = $3`,
    [chain, address, coin],
  );
  const [all] = rows;
  if (all === undefined || all.last_at < from || all.first_at > to) return 0;
  const count = { in: all.received, out: all.spent };
  if (all.first_at >= from && all.last_at <= to)
    return Math.min(
      sides.reduce((sum, side) => sum + count[side], 0),
      mostRows,
    );
  const ofSide = (side: Side): string =>
    `(SELECT 1 FROM chain.transfers WHERE chain = $1 AND ${columns[side][0]} = $2 AND coin = $3 AND at BETWEEN $4 AND $5 LIMIT ${mostRows})`;
  const counted = await db.query<{ count: number }>(
    `SELECT least(count(*), ${mostRows})::float8 AS count FROM (${sides.map(ofSide).join(' UNION ALL ')}) t`,
    [chain, address, coin, from, to],
  );
  return counted.rows[0]?.count ?? 0;
}
