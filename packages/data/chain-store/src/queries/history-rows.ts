import { allCoins, type Chain, hasInputs, nobodiesOf } from '@weir/chains';
import { prepared, type Queryable } from '@weir/postgres';
import { compare, type Flow, type HistoryRequest, type Movement, noFlow, type Side } from '@weir/risk-engine';

/** One side of an address, up to a time or from it on. */
export interface Asked extends HistoryRequest {
  readonly side: Side;
}

export interface ReadSide {
  /** Of the whole life. */
  readonly total: Flow;
  readonly peers: number;
  /** The nearest first. */
  readonly movements: readonly Movement[];
  /** More may be there: of the coins that were read, or of others. */
  readonly isCut: boolean;
}

/** A score reads tens of thousands: the address itself is known, times are numbers, and USD is converted here. */
interface ListedRow {
  /** Of the address asked for. */
  readonly n: number;
  readonly side: number;
  readonly tx: string;
  readonly position: number;
  readonly peer: string;
  readonly coin: string;
  readonly amount: string | null;
  readonly usd: string | null;
  readonly seconds: number;
  readonly coin_join: boolean;
  readonly [column: string]: unknown;
}

interface SideRow {
  readonly n: number;
  readonly side: number;
  /** Null: the sums of the side. */
  readonly tx: string | null;
  readonly usd: string | null;
  readonly is_cut: boolean | null;
  readonly peers: bigint | null;
  readonly transfers: bigint | null;
  readonly unknown_transfers: bigint | null;
  readonly [column: string]: unknown;
}

function movementWith(address: string, { side, seconds, tx, position, peer, usd, coin, amount, coin_join }: ListedRow): Movement {
  const [from, to] = side === 0 ? [peer, address] : [address, peer];
  // A double keeps a quarter of a microsecond of today's times.
  const at = Math.floor(seconds * 1_000 + 0.0005);
  return { at, tx, position, from, to, usd: usd === null ? null : Number(usd), coin, amount, ...(coin_join ? { coin_join } : {}) };
}

const readSidesStatement = prepared(`
  SELECT n, side, tx, position, peer, coin, amount, usd, seconds, coin_join, is_cut, peers, transfers, unknown_transfers
  FROM chain.read_sides($1, $2, $3, $4, $5, $6, $7, $8)`);

/** Those of addresses with transfers, each side with up to `limit` of its nearest. */
export async function readSides(
  db: Queryable,
  chain: Chain,
  requests: readonly HistoryRequest[],
  limit: number,
): Promise<Map<string, Readonly<Record<Side, ReadSide>>>> {
  const found = new Map<string, Record<Side, { total: Flow; peers: number; movements: Movement[]; isCut: boolean }>>();
  for (const [towards, group] of Map.groupBy(requests, (request) => request.towards)) {
    const values = [...valuesOf(chain, group), towards === 'future', limit, coinsOf(chain)];
    const { rows } = await db.query<SideRow>(readSidesStatement, values);
    for (const row of rows) {
      const address = group[row.n]?.address ?? '';
      const sides = found.get(address) ?? { in: emptySide(), out: emptySide() };
      found.set(address, sides);
      const side = sides[row.side === 0 ? 'in' : 'out'];
      if (isTransfer(row)) {
        side.movements.push(movementWith(address, row));
        side.isCut ||= row.is_cut === true;
      } else {
        side.total = { usd: Number(row.usd), transfers: Number(row.transfers), unknownTransfers: Number(row.unknown_transfers) };
        side.peers = Number(row.peers);
      }
    }
    const sign = towards === 'past' ? -1 : 1;
    for (const { address } of group) {
      for (const side of Object.values(found.get(address) ?? {})) {
        side.movements.sort((a, b) => byNearness(sign, a, b));
        side.isCut ||= side.movements.length >= limit;
      }
    }
  }
  return found;
}

const emptySide = () => ({ total: noFlow, peers: 0, movements: [], isCut: false });
const isTransfer = (row: SideRow): row is SideRow & ListedRow => row.tx !== null;

function byNearness(sign: number, a: Movement, b: Movement): number {
  return (
    sign * (a.at - b.at) ||
    compare(a.tx, b.tx) ||
    a.position - b.position ||
    compare(a.coin, b.coin) ||
    compare(a.from, b.from) ||
    compare(a.to, b.to)
  );
}

function valuesOf(chain: Chain, asked: readonly HistoryRequest[]): unknown[] {
  return [chain, nobodiesOf(chain), hasInputs(chain), asked.map(({ address }) => address), asked.map(({ at }) => at)];
}

/** Other coins count with a value alone. */
function coinsOf(chain: Chain): string[] {
  return allCoins()
    .filter((coin) => coin.chain === chain)
    .map(({ symbol }) => symbol);
}

const largestStatement = prepared(`
  SELECT n, side, tx, position, peer, coin, amount, usd, seconds, coin_join FROM chain.largest_of_sides($1, $2, $3, $4, $5, $6, $7, $8)`);

/** By address and side. */
export async function readLargest(
  db: Queryable,
  chain: Chain,
  asked: readonly Asked[],
  most: number,
): Promise<(address: string, side: Side) => readonly Movement[]> {
  const found: Record<Side, Map<string, Movement[]>> = { in: new Map(), out: new Map() };
  for (const [towards, group] of most === 0 ? [] : Map.groupBy(asked, (one) => one.towards)) {
    const sides = group.map(({ side }) => (side === 'in' ? 0 : 1));
    const { rows } = await db.query<ListedRow>(largestStatement, [...valuesOf(chain, group), sides, towards === 'future', most]);
    for (const row of rows) {
      const { address, side } = group[row.n] ?? { address: '', side: 'in' };
      const list = found[side].get(address) ?? [];
      list.push(movementWith(address, row));
      found[side].set(address, list);
    }
  }
  return (address, side) => found[side].get(address) ?? [];
}
