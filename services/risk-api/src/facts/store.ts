import { type Chain, isNobody } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import type { Counterparties, Counterparty, Label, Leg, RiskStore } from '@weir/risk-engine';
import { findChain } from './chain.ts';

/** Counterparties looked at, labelled ones first: more can change no score unless an address deals with more labelled ones than this. */
const maxCounterparties = 5_000;
/** Movements of one transaction looked at; the largest known have about 3,000. */
const maxLegs = 10_000;

/** The facts of schema `chain` as the engine wants them. */
export function createRiskStore(db: Queryable): RiskStore {
  return {
    labelsOf: (chain, addresses, atMs) => labelsOf(db, chain, addresses, atMs),
    counterparties: (chain, address, atMs) => counterparties(db, chain, address, atMs),
    transfersOf: (chain, txid) => transfersOf(db, chain, txid),
  };
}

async function labelsOf(db: Queryable, chain: string, addresses: readonly string[], atMs: number): Promise<Map<string, Label[]>> {
  const known = findChain(chain);
  const wanted = known === undefined ? [] : addresses.filter((address) => !isNobody(known, address));
  const labels = new Map<string, Label[]>();
  if (wanted.length === 0) return labels;
  const { rows } = await db.query<Label & { address: string }>(
    `SELECT address, name, category, confidence, source FROM chain.labels
     WHERE chain = $1 AND address = ANY($2) AND coalesce(valid_from <= $3, true) AND coalesce(valid_to > $3, true)`,
    [chain, wanted, new Date(atMs)],
  );
  for (const { address, ...label } of rows) {
    const list = labels.get(address) ?? [];
    list.push(label);
    labels.set(address, list);
  }
  return labels;
}

interface PairRow {
  readonly address: string;
  readonly direction: 'in' | 'out';
  readonly usd: number;
  readonly transfers: number;
  readonly unknown: number;
  readonly total_usd: number;
  readonly total_transfers: number;
  readonly total_unknown: number;
  readonly [column: string]: unknown;
}

async function counterparties(db: Queryable, chain: string, address: string, atMs: number): Promise<Counterparties> {
  const { rows } = await db.query<PairRow>(
    `WITH both_ways AS (
       SELECT from_address AS address, 'in' AS direction, usd, transfers, unknown_transfers FROM chain.pairs WHERE chain = $1 AND to_address = $2
       UNION ALL
       SELECT to_address, 'out', usd, transfers, unknown_transfers FROM chain.pairs WHERE chain = $1 AND from_address = $2)
     SELECT address, direction, usd::float8, transfers::float8, unknown_transfers::float8 AS unknown,
       (sum(usd) OVER ())::float8 AS total_usd, (sum(transfers) OVER ())::float8 AS total_transfers, (sum(unknown_transfers) OVER ())::float8 AS total_unknown
     FROM both_ways b
     ORDER BY EXISTS (SELECT FROM chain.labels l WHERE l.chain = $1 AND l.address = b.address
       AND coalesce(l.valid_from <= $3, true) AND coalesce(l.valid_to > $3, true)) DESC, b.usd DESC, b.transfers DESC, b.address
     LIMIT ${maxCounterparties}`,
    [chain, address, new Date(atMs)],
  );
  const first = rows[0];
  return {
    total: { usd: first?.total_usd ?? 0, transfers: first?.total_transfers ?? 0, unknownTransfers: first?.total_unknown ?? 0 },
    items: rows.map(
      (row): Counterparty => ({
        address: row.address,
        direction: row.direction,
        usd: row.usd,
        transfers: row.transfers,
        unknownTransfers: row.unknown,
      }),
    ),
  };
}

async function transfersOf(db: Queryable, chain: string, txid: string): Promise<Leg[]> {
  const { rows } = await db.query<{ from_address: string; to_address: string; usd: number | null }>(
    `SELECT from_address, to_address, usd::float8 FROM chain.transfers WHERE chain = $1 AND txid = $2 ORDER BY usd DESC NULLS LAST LIMIT ${maxLegs}`,
    [chain, txid],
  );
  const somebody = (address: string): string | null => (isNobody(chain as Chain, address) ? null : address);
  return rows.map((row) => ({ from: somebody(row.from_address), to: somebody(row.to_address), usd: row.usd }));
}
