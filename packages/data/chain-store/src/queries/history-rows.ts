import { allCoins, type Chain, chains, hasInputs, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { type Flow, type HistoryRequest, type Movement, noFlow, type Side } from '@weir/risk-engine';

/** Coins of one side, those with the most transfers first. */
const maxCoins = 100;
/** The largest of a time are searched among this many times as many of the whole life. */
const candidates = 10;

/** `n`: the request. */
export interface HistoryRow {
  readonly n: number;
  readonly side: Side;
  readonly at: Date;
  readonly tx: string;
  readonly position: number;
  readonly from: string;
  readonly to: string;
  readonly usd: number | null;
  readonly coin: string;
  readonly amount: string | null;
  readonly coin_join: boolean;
  readonly [column: string]: unknown;
}

export const movementOf = ({ at, tx, position, from, to, usd, coin, amount, coin_join }: HistoryRow): Movement => ({
  at: at.getTime(),
  tx,
  position,
  from,
  to,
  usd,
  coin,
  amount,
  ...(coin_join ? { coin_join } : {}),
});

const columns = {
  in: { own: 'to_address', transfers: 'received_transfers', usd: 'received_usd' },
  out: { own: 'from_address', transfers: 'spent_transfers', usd: 'spent_usd' },
} as const;
/** No other chain has CoinJoins, and a lookup for each transfer would cost theirs too. */
const chainsWithInputs = chains.filter(hasInputs).map((chain) => `'${chain}'`);
/** Of `chain.transfers t`. */
export const movement = `
  t.txid AS tx, t.position, t.from_address AS "from", t.to_address AS "to", t.usd::float8, t.coin, t.amount::text,
  t.chain IN (${chainsWithInputs.join(', ')}) AND EXISTS (SELECT FROM chain.coin_joins j WHERE j.txid = t.txid AND j.chain = t.chain) AS coin_join`;
/** The transfers of which the sums consist. $2: nobodies of the chain. */
export const counted = `t.dealing AND t.from_address <> t.to_address AND t.from_address <> ALL ($2::text[]) AND t.to_address <> ALL ($2::text[])`;
const wanted = `unnest($3::text[], $4::timestamptz[], $5::boolean[]) WITH ORDINALITY AS w (address, at, past, n)`;

/** The index begins with address, chain and coin: each coin is read in the order of time, and the nearest of all remain. */
const nearOf = (side: Side): string => {
  const ofCoin = (isInTime: string, order: string): string =>
    `(SELECT * FROM chain.transfers t WHERE t.${columns[side].own} = w.address AND t.chain = $1 AND t.coin = c.coin AND ${isInTime} AND ${counted} ORDER BY t.at ${order} LIMIT $6)`;
  return `
  SELECT w.n, '${side}' AS side, w.at AS asked_at, t.*, c.coins > ${maxCoins} AS is_cut FROM ${wanted}
  CROSS JOIN LATERAL (
    SELECT s.coin, count(*) OVER () AS coins FROM chain.address_stats s
    WHERE s.address = w.address AND s.chain = $1 AND s.${columns[side].transfers} > 0 AND (s.coin = ANY ($7::text[]) OR s.${columns[side].usd} > 0)
    ORDER BY s.${columns[side].transfers} DESC, s.coin LIMIT ${maxCoins}) c
  CROSS JOIN LATERAL (${ofCoin('w.past AND t.at <= w.at', 'DESC')} UNION ALL ${ofCoin('NOT w.past AND t.at >= w.at', 'ASC')}) t`;
};

const near = `
  SELECT t.n::int - 1 AS n, t.side, t.at, ${movement}, t.is_cut AS "isCut" FROM (
    SELECT *, row_number() OVER (PARTITION BY n, side ORDER BY abs(extract(epoch FROM at - asked_at)), txid, position, coin, from_address, to_address) AS place
    FROM (${nearOf('in')} UNION ALL ${nearOf('out')}) t) t
  WHERE t.place <= $6 ORDER BY t.n, t.side, t.place`;

export async function readNear(
  db: Queryable,
  chain: Chain,
  requests: readonly HistoryRequest[],
  limit: number,
): Promise<(HistoryRow & { readonly isCut: boolean })[]> {
  const { rows } = await db.query<HistoryRow & { isCut: boolean }>(near, [
    chain,
    nobodiesOf(chain),
    ...valuesOf(requests),
    limit,
    coinsOf(chain),
  ]);
  return rows;
}

/** Other coins count with a value alone. */
function coinsOf(chain: Chain): string[] {
  return allCoins()
    .filter((coin) => coin.chain === chain)
    .map(({ symbol }) => symbol);
}

function valuesOf(requests: readonly HistoryRequest[]): [string[], Date[], boolean[]] {
  return [
    requests.map(({ address }) => address),
    requests.map(({ at }) => new Date(at)),
    requests.map(({ towards }) => towards === 'past'),
  ];
}

const largestOf = (side: Side): string => `
  SELECT w.n, '${side}' AS side, t.* FROM ${wanted} CROSS JOIN LATERAL (
    SELECT * FROM (SELECT * FROM chain.transfers t WHERE t.${columns[side].own} = w.address AND t.chain = $1 AND ${counted} ORDER BY t.usd DESC NULLS LAST LIMIT $6 * ${candidates}) t
    WHERE CASE WHEN w.past THEN t.at <= w.at ELSE t.at >= w.at END ORDER BY t.usd DESC NULLS LAST LIMIT $6) t
  WHERE (w.n - 1) || ' ${side}' = ANY ($7::text[])`;
const largest = `SELECT t.n::int - 1 AS n, t.side, t.at, ${movement} FROM (${largestOf('in')} UNION ALL ${largestOf('out')}) t`;

export async function readLargest(
  db: Queryable,
  chain: Chain,
  requests: readonly HistoryRequest[],
  cut: ReadonlySet<string>,
  most: number,
): Promise<HistoryRow[]> {
  if (cut.size === 0 || most === 0) return [];
  const { rows } = await db.query<HistoryRow>(largest, [chain, nobodiesOf(chain), ...valuesOf(requests), most, [...cut]]);
  return rows;
}

type Totals = Readonly<Record<Side, Flow & { readonly peers: number }>>;

export async function readTotals(db: Queryable, chain: Chain, requests: readonly HistoryRequest[]): Promise<Map<string, Totals>> {
  const { rows } = await db.query<Flow & { address: string; side: number; peers: number }>(
    `SELECT address, side, peers::float8, usd::float8, transfers::float8, unknown_transfers::float8 AS "unknownTransfers" FROM chain.sides
     WHERE chain = $1 AND address = ANY ($2)`,
    [chain, requests.map(({ address }) => address)],
  );
  const totals = new Map<string, Totals>();
  for (const { address, side, ...total } of rows) {
    const known = totals.get(address) ?? { in: { ...noFlow, peers: 0 }, out: { ...noFlow, peers: 0 } };
    totals.set(address, side === 0 ? { ...known, in: total } : { ...known, out: total });
  }
  return totals;
}
