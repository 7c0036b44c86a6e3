import { type Chain, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Holding, VaultShare } from '@weir/risk-engine';

const maxRequests = 2_000;
const maxMints = 1_000;
const maxReceipts = 20;

interface Row {
  readonly tx: string;
  readonly at: Date;
  readonly coin: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly [column: string]: unknown;
}

/** Of `chain.transfers t`. $2: nobodies of the chain. */
const columns = `t.txid AS tx, t.at, t.coin,
  CASE WHEN t.from_address = ANY ($2::text[]) THEN NULL ELSE t.from_address END AS "from",
  CASE WHEN t.to_address = ANY ($2::text[]) THEN NULL ELSE t.to_address END AS "to"`;

const mints = `
  SELECT ${columns} FROM unnest($3::text[]) AS u (txid) CROSS JOIN LATERAL (
    SELECT * FROM chain.transfers t
    WHERE hashtextextended(t.txid, 0) = hashtextextended(u.txid COLLATE "C", 0) AND t.txid = u.txid AND t.chain = $1
      AND (t.from_address = ANY ($2::text[])) <> (t.to_address = ANY ($2::text[]))
    LIMIT ${maxMints}) t`;

const receipts = `
  SELECT ${columns} FROM unnest($3::text[], $4::text[], $5::timestamptz[]) AS h (address, coin, at) CROSS JOIN LATERAL (
    SELECT * FROM chain.transfers t
    WHERE t.to_address = h.address AND t.chain = $1 AND t.coin = h.coin AND t.at <= h.at AND t.from_address <> t.to_address
    ORDER BY t.at DESC LIMIT ${maxReceipts}) t`;

export async function mintsIn(db: Queryable, chain: Chain, txids: readonly string[]): Promise<VaultShare[]> {
  refuseTooMany(txids);
  if (txids.length === 0) return [];
  return sharesOf((await db.query<Row>(mints, [chain, nobodiesOf(chain), [...new Set(txids)]])).rows);
}

export async function receiptsOf(db: Queryable, chain: Chain, holdings: readonly Holding[]): Promise<VaultShare[]> {
  refuseTooMany(holdings);
  if (holdings.length === 0) return [];
  const values = [holdings.map(({ address }) => address), holdings.map(({ coin }) => coin), holdings.map(({ at }) => new Date(at))];
  return sharesOf((await db.query<Row>(receipts, [chain, nobodiesOf(chain), ...values])).rows);
}

function refuseTooMany({ length }: readonly unknown[]): void {
  if (length > maxRequests) throw new RangeError(`at most ${maxRequests} a call, not ${length}`);
}

function sharesOf(rows: readonly Row[]): VaultShare[] {
  return rows.map(({ tx, at, coin, from, to }) => ({ tx, at: at.getTime(), coin, from, to }));
}
