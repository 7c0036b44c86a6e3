import { allCoins, type Chain, chains, hasInputs, nobodiesOf } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { compare, type Flow, type HistoryRequest, type Movement, noFlow, type Side } from '@weir/risk-engine';

/** Coins of one side, those with the most transfers first. */
const maxCoins = 100;
/** The largest of a time are searched among this many times as many of the whole life. */
const candidates = 10;

/** Of the table. */
interface TransferRow {
  readonly tx: string;
  readonly position: number;
  readonly coin: string;
  readonly amount: string | null;
  readonly coin_join: boolean;
  readonly [column: string]: unknown;
}

export interface MovementRow extends TransferRow {
  readonly at: Date;
  readonly from: string;
  readonly to: string;
  readonly usd: number | null;
}

export const movementOf = ({ at, tx, position, from, to, usd, coin, amount, coin_join }: MovementRow): Movement => ({
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
  in: { own: 'to_address', peer: 'from_address', transfers: 'received_transfers', usd: 'received_usd' },
  out: { own: 'from_address', peer: 'to_address', transfers: 'spent_transfers', usd: 'spent_usd' },
} as const;
/** No other chain has CoinJoins. Of a parameter the planner knows it, and plans no lookup. OFFSET 0: one by index, not all CoinJoins at once. */
const chainsWithInputs = chains.filter(hasInputs).map((chain) => `'${chain}'`);
const isCoinJoin = `
  $1::text IN (${chainsWithInputs.join(', ')}) AND EXISTS (SELECT FROM chain.coin_joins j WHERE j.txid = t.txid AND j.chain = $1 OFFSET 0) AS coin_join`;
/** Of `chain.transfers t`. $1: the chain. */
export const movement = `
  t.txid AS tx, t.position, t.from_address AS "from", t.to_address AS "to", t.usd::float8, t.coin, t.amount::text, ${isCoinJoin}`;
/** The transfers of which the sums consist. $2: nobodies of the chain. */
export const counted = `t.dealing AND t.from_address <> t.to_address AND t.from_address <> ALL ($2::text[]) AND t.to_address <> ALL ($2::text[])`;

/** One side of an address, up to a time or from it on. */
export interface Asked extends HistoryRequest {
  readonly side: Side;
}

export interface Listed {
  readonly movements: readonly Movement[];
  /** More may be there: of the coins that were read, or of others. */
  readonly isCut: boolean;
}

/** A score reads tens of thousands: the address itself is known, times are numbers, and USD is converted here. */
interface ListedRow extends TransferRow {
  /** Of the address asked for. */
  readonly n: number;
  readonly seconds: number;
  readonly peer: string;
  readonly usd: string | null;
  readonly isCut?: boolean;
}

const listed = (side: Side): string => `
  (t.n - 1)::int4 AS n, date_part('epoch', t.at) AS seconds, t.txid AS tx, t.position, t.${columns[side].peer} AS peer, t.usd, t.coin, t.amount, ${isCoinJoin}`;
const stored = 't.chain, t.txid, t.position, t.from_address, t.to_address, t.coin, t.amount, t.usd, t.at';

function movementWith({ address, side }: Asked, { seconds, tx, position, peer, usd, coin, amount, coin_join }: ListedRow): Movement {
  const [from, to] = side === 'in' ? [peer, address] : [address, peer];
  // A double keeps a quarter of a microsecond of today's times.
  const at = Math.floor(seconds * 1_000 + 0.0005);
  return { at, tx, position, from, to, usd: usd === null ? null : Number(usd), coin, amount, ...(coin_join ? { coin_join } : {}) };
}

const directions = {
  past: { isInTime: 't.at <= to_timestamp(w.at / 1000)', order: 'DESC', sign: -1 },
  future: { isInTime: 't.at >= to_timestamp(w.at / 1000)', order: 'ASC', sign: 1 },
} as const;
type Towards = keyof typeof directions;
type BySide<Of> = Readonly<Record<Side, Readonly<Record<Towards, Of>>>>;

/** $3 and $4: addresses, and times in ms. */
function statements(statement: (side: Side, towards: Towards) => string): BySide<string> {
  const of = (side: Side): Record<Towards, string> => ({ past: statement(side, 'past'), future: statement(side, 'future') });
  return { in: of('in'), out: of('out') };
}

const wanted = `unnest($3::text[], $4::float8[]) WITH ORDINALITY AS w (address, at, n)`;

/**
 * The index begins with address, chain and coin: each coin is read in the order of time, and the nearest of all remain. Planned each time, as
 * all here: a plan that is kept from when the table was empty scans it.
 */
const near = statements((side, towards) => {
  const { own, transfers, usd } = columns[side];
  const { isInTime, order } = directions[towards];
  return `
  SELECT ${listed(side)}, t.coins > ${maxCoins} AS "isCut" FROM (
    SELECT w.n, t.* FROM ${wanted} CROSS JOIN LATERAL (
      SELECT c.coins, t.* FROM (
        SELECT s.coin, count(*) OVER () AS coins FROM chain.address_stats s
        WHERE s.address = w.address AND s.chain = $1 AND s.${transfers} > 0 AND (s.coin = ANY ($6::text[]) OR s.${usd} > 0)
        ORDER BY s.${transfers} DESC, s.coin LIMIT ${maxCoins}) c
      CROSS JOIN LATERAL (
        SELECT ${stored} FROM chain.transfers t
        WHERE t.${own} = w.address AND t.chain = $1 AND t.coin = c.coin AND ${isInTime} AND ${counted} ORDER BY t.at ${order} LIMIT $5) t
      ORDER BY t.at ${order}, t.txid, t.position, t.coin, t.from_address, t.to_address LIMIT $5) t) t`;
});

/** All of sides with fewer transfers than the limit: the index has each coin in order, so nothing is sorted. Most sides are such. */
const few = statements((side, towards) => {
  const { own, transfers, usd } = columns[side];
  const { isInTime, order } = directions[towards];
  return `
  SELECT ${listed(side)} FROM (
    SELECT w.n, t.* FROM ${wanted} CROSS JOIN LATERAL (
      SELECT s.coin FROM chain.address_stats s
      WHERE s.address = w.address AND s.chain = $1 AND s.${transfers} > 0 AND (s.coin = ANY ($6::text[]) OR s.${usd} > 0) OFFSET 0) c
    CROSS JOIN LATERAL (
      SELECT ${stored} FROM chain.transfers t
      WHERE t.${own} = w.address AND t.chain = $1 AND t.coin = c.coin AND ${isInTime} AND ${counted} ORDER BY t.at ${order} LIMIT $5) t) t`;
});

/** In the order of nearness. `isFew`: the side has fewer transfers than the limit. */
export async function readNear(
  db: Queryable,
  chain: Chain,
  asked: readonly Asked[],
  { limit, isFew }: { readonly limit: number; readonly isFew: (one: Asked) => boolean },
): Promise<Map<Asked, Listed>> {
  const more = [limit, coinsOf(chain)];
  const [short, long] = [asked.filter(isFew), asked.filter((one) => !isFew(one))];
  const found = await Promise.all([readEach(db, chain, short, few, more), readEach(db, chain, long, near, more)]);
  return new Map(
    found
      .flatMap((each) => [...each])
      .map(([one, { movements, isCut }]) => [
        one,
        { movements: movements.toSorted(byNearness(one)), isCut: isCut || movements.length >= limit },
      ]),
  );
}

function byNearness({ towards }: Asked): (a: Movement, b: Movement) => number {
  const { sign } = directions[towards];
  return (a, b) =>
    sign * (a.at - b.at) ||
    compare(a.tx, b.tx) ||
    a.position - b.position ||
    compare(a.coin, b.coin) ||
    compare(a.from, b.from) ||
    compare(a.to, b.to);
}

/** Other coins count with a value alone. */
function coinsOf(chain: Chain): string[] {
  return allCoins()
    .filter((coin) => coin.chain === chain)
    .map(({ symbol }) => symbol);
}

const largest = statements(
  (side, towards) => `
  SELECT ${listed(side)} FROM (
    SELECT w.n, t.* FROM ${wanted} CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT ${stored} FROM chain.transfers t
        WHERE t.${columns[side].own} = w.address AND t.chain = $1 AND ${counted} ORDER BY t.usd DESC NULLS LAST LIMIT $5 * ${candidates}) t
      WHERE ${directions[towards].isInTime} ORDER BY t.usd DESC NULLS LAST LIMIT $5) t) t`,
);

export async function readLargest(db: Queryable, chain: Chain, asked: readonly Asked[], most: number): Promise<Map<Asked, Listed>> {
  return most === 0 ? new Map() : readEach(db, chain, asked, largest, [most]);
}

/** One statement for each side and direction. */
async function readEach(
  db: Queryable,
  chain: Chain,
  asked: readonly Asked[],
  texts: BySide<string>,
  more: readonly unknown[],
): Promise<Map<Asked, Listed>> {
  const found = new Map<Asked, Listed>();
  const read = async (group: readonly Asked[], text: string): Promise<void> => {
    const values = [chain, nobodiesOf(chain), group.map(({ address }) => address), group.map(({ at }) => at), ...more];
    const { rows } = await db.query<ListedRow>(text, values);
    const byPlace = group.map((): { movements: Movement[]; isCut: boolean } => ({ movements: [], isCut: false }));
    for (const row of rows) {
      const [one, list] = [group[row.n], byPlace[row.n]];
      if (one === undefined || list === undefined) continue;
      list.movements.push(movementWith(one, row));
      list.isCut ||= row.isCut === true;
    }
    for (const [n, one] of group.entries()) found.set(one, byPlace[n] ?? { movements: [], isCut: false });
  };
  const groups = [...Map.groupBy(asked, ({ side, towards }) => `${side} ${towards}`).values()];
  await Promise.all(groups.map((group) => read(group, texts[group[0]?.side ?? 'in'][group[0]?.towards ?? 'past'])));
  return found;
}

type Totals = Readonly<Record<Side, Flow & { readonly peers: number }>>;

const totals = `
  SELECT address, side, peers::float8, usd::float8, transfers::float8, unknown_transfers::float8 AS "unknownTransfers" FROM chain.sides
  WHERE chain = $1 AND address = ANY ($2)`;

/** Those of addresses with transfers. */
export async function readTotals(db: Queryable, chain: Chain, addresses: readonly string[]): Promise<Map<string, Totals>> {
  const { rows } = await db.query<Flow & { address: string; side: number; peers: number }>(totals, [chain, addresses]);
  const found = new Map<string, Totals>();
  for (const { address, side, ...total } of rows) {
    const known = found.get(address) ?? { in: { ...noFlow, peers: 0 }, out: { ...noFlow, peers: 0 } };
    found.set(address, side === 0 ? { ...known, in: total } : { ...known, out: total });
  }
  return found;
}
