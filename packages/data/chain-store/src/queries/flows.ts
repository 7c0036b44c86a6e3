import type { Queryable } from '@weir/postgres';
import type { Counterparty, Flows, Flow, Side } from '@weir/risk-engine';

/** Labelled counterparties read for one side, largest first. An address with more is a service of its own kind. */
const maxLabelled = 5_000;
const maxAddresses = 2_000;

interface SideRow {
  readonly address: string;
  readonly usd: number;
  readonly transfers: number;
  readonly unknown: number;
  /** Address, USD, transfers, transfers of unknown value. */
  readonly items: readonly (readonly [string, number, number, number])[];
  readonly [column: string]: unknown;
}

/** Bounded cost: reads stored sums, and only the labelled edges of a hub. Rejects with RangeError past 2,000 addresses. */
export async function flows(db: Queryable, chain: string, addresses: readonly string[], side: Side): Promise<Map<string, Flows>> {
  if (addresses.length > maxAddresses) throw new RangeError(`at most ${maxAddresses} addresses a call, not ${addresses.length}`);
  if (addresses.length === 0) return new Map();
  const { rows } = await db.query<SideRow>(statement, [chain, addresses, side === 'in' ? 0 : 1]);
  return new Map(
    rows.map((row) => [row.address, { total: flow(row.usd, row.transfers, row.unknown), items: row.items.map(counterparty) }]),
  );
}

/** Items as one JSON value for each address, which loses no digit of a double. */
const statement = `
  SELECT s.address, s.usd::float8, s.transfers::float8, s.unknown_transfers::float8 AS unknown, i.items
  FROM chain.sides s CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_array(peer, usd::float8, transfers, unknown_transfers) ORDER BY usd DESC, transfers DESC, peer), '[]') AS items
    FROM (
      SELECT peer, usd, transfers, unknown_transfers FROM chain.edges e
      WHERE e.chain = s.chain AND e.address = s.address AND e.side = s.side AND peer_labelled
      ORDER BY usd DESC, transfers DESC, peer LIMIT ${maxLabelled}) e) i
  WHERE s.chain = $1 AND s.address = ANY ($2) AND s.side = $3`;

function counterparty([address, usd, transfers, unknownTransfers]: SideRow['items'][number]): Counterparty {
  return { address, usd, transfers, unknownTransfers };
}

function flow(usd: number, transfers: number, unknownTransfers: number): Flow {
  return { usd, transfers, unknownTransfers };
}
