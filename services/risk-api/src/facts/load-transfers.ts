import { createHash } from 'node:crypto';
import { type Chain, isNobody, parseAddress, parseTxid } from '@weir/chains';
import type { Pool, Queryable } from '@weir/postgres';
import { columns, isText, type Loaded, loadInBatches, parseTime } from './batches.ts';
import { findChain } from './chain.ts';

/** A transfer as imported. */
export interface TransferRow {
  readonly chain: string;
  /** null: the source does not give it. */
  readonly txid: string | null;
  /** Tells the transfers of one transaction apart. */
  readonly position: number;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly coin: string;
  /** Decimal, in whole coins; null: not known. */
  readonly amount: string | null;
  /** Decimal; null: not known. */
  readonly usdValue: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly source: string;
}

interface StoredTransfer {
  readonly chain: Chain;
  readonly txid: string;
  readonly position: number;
  readonly from_address: string;
  readonly to_address: string;
  readonly coin: string;
  readonly amount: string | null;
  readonly usd: string | null;
  readonly at: Date;
  readonly source: string;
  /** Counts as dealings of the two: neither is nobody, and they are not the same. */
  readonly paired: boolean;
}

/**
 * Loads transfers and adds the new ones to the sums by pair of addresses, in one transaction. A transfer is known by chain, txid, position,
 * coin and addresses, and without a txid by all of its content. What was loaded first stays.
 */
export function loadTransfers(pool: Pool, rows: AsyncIterable<TransferRow> | Iterable<TransferRow>): Promise<Loaded> {
  return loadInBatches(pool, rows, parseTransfer, storeTransfers);
}

const decimal = /^\d{1,60}(\.\d{1,40})?$/;

function parseTransfer(row: TransferRow): { key: string; value: StoredTransfer } | undefined {
  const chain = findChain(row.chain);
  if (chain === undefined) return undefined;
  const from = parseAddress(chain, row.fromAddress);
  const to = parseAddress(chain, row.toAddress);
  const txid = row.txid === null ? derivedId(row) : parseTxid(chain, row.txid);
  const at = parseTime(row.time);
  if (from === undefined || to === undefined || txid === undefined || at === undefined) return undefined;
  if ([row.amount, row.usdValue].some((value) => value !== null && !decimal.test(value))) return undefined;
  if (![row.coin, row.source].every(isText)) return undefined;
  if (!Number.isInteger(row.position) || row.position < 0 || row.position > 2_147_483_647) return undefined;
  return {
    key: JSON.stringify([chain, txid, row.position, row.coin, from, to]),
    value: {
      chain,
      txid,
      position: row.position,
      from_address: from,
      to_address: to,
      coin: row.coin,
      amount: row.amount,
      usd: row.usdValue,
      at,
      source: row.source,
      paired: from !== to && !isNobody(chain, from) && !isNobody(chain, to),
    },
  };
}

/** Stands in for a txid, and cannot be mistaken for one. */
function derivedId(row: TransferRow): string {
  const content = [row.chain, row.position, row.fromAddress, row.toAddress, row.coin, row.amount, row.usdValue, row.time, row.source];
  return `derived:${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`;
}

async function storeTransfers(tx: Queryable, batch: readonly StoredTransfer[]): Promise<number> {
  const { rows } = await tx.query<{ inserted: number }>(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[],
         $9::timestamptz[], $10::text[], $11::boolean[])
         AS g (chain, txid, position, from_address, to_address, coin, amount, usd, at, source, paired)),
     stored AS (
       INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, amount, usd, at, source)
       SELECT chain, txid, position, from_address, to_address, coin, amount, usd, at, source FROM given
       ON CONFLICT DO NOTHING
       RETURNING chain, txid, position, coin, from_address, to_address, usd),
     sums AS (
       INSERT INTO chain.pairs AS p (chain, from_address, to_address, transfers, unknown_transfers, usd)
       SELECT chain, from_address, to_address, count(*), count(*) FILTER (WHERE stored.usd IS NULL), coalesce(sum(stored.usd), 0)
       FROM stored JOIN given USING (chain, txid, position, coin, from_address, to_address)
       WHERE paired GROUP BY chain, from_address, to_address
       ON CONFLICT (chain, from_address, to_address) DO UPDATE SET transfers = p.transfers + excluded.transfers,
         unknown_transfers = p.unknown_transfers + excluded.unknown_transfers, usd = p.usd + excluded.usd)
     SELECT count(*)::int AS inserted FROM stored`,
    columns(batch, ['chain', 'txid', 'position', 'from_address', 'to_address', 'coin', 'amount', 'usd', 'at', 'source', 'paired']),
  );
  return rows[0]?.inserted ?? 0;
}
