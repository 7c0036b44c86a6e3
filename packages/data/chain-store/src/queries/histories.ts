import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import {
  addFlows,
  beyond,
  type Flow,
  type History,
  type HistoryBounds,
  type HistoryRequest,
  type Movement,
  noFlow,
  type Side,
} from '@weir/risk-engine';
import { type HistoryRow, movementOf, readLargest, readNear, readTotals } from './history-rows.ts';

const maxRequests = 2_000;

/** Bounded cost: reads by index, and for a hub no more than the bounds for each of its coins. */
export async function histories(
  db: Queryable,
  chain: Chain,
  requests: readonly HistoryRequest[],
  bounds: HistoryBounds,
): Promise<Map<string, History>> {
  if (requests.length > maxRequests) throw new RangeError(`at most ${maxRequests} requests a call, not ${requests.length}`);
  if (requests.length === 0) return new Map();
  const limit = bounds.largest + bounds.nearest + 1;
  const [near, totals] = await Promise.all([readNear(db, chain, requests, limit), readTotals(db, chain, requests)]);
  const nearest = Map.groupBy(near, placeOf);
  const cut = new Set([...nearest].filter(([, rows]) => rows.length >= limit || rows.some(({ isCut }) => isCut)).map(([place]) => place));
  const largest = Map.groupBy(await readLargest(db, chain, requests, cut, bounds.largest), placeOf);
  const listed = (n: number, side: Side, total: Flow): Listed => {
    const place = placeOf({ n, side });
    const rows = nearest.get(place) ?? [];
    if (!cut.has(place)) return { movements: rows.map(movementOf), rest: noFlow };
    const movements = unique([...rows.slice(0, bounds.nearest), ...(largest.get(place) ?? [])].map(movementOf));
    return { movements, rest: beyond(total, sumOf(movements)) };
  };
  return new Map(
    requests.flatMap(({ address }, n) => {
      const total = totals.get(address);
      if (total === undefined) return [];
      const [received, sent] = [listed(n, 'in', total.in), listed(n, 'out', total.out)];
      return [
        [
          address,
          {
            movements: [...received.movements, ...sent.movements],
            rest: { in: received.rest, out: sent.rest },
            peers: { in: total.in.peers, out: total.out.peers },
          },
        ],
      ];
    }),
  );
}

interface Listed {
  readonly movements: readonly Movement[];
  readonly rest: Flow;
}

const placeOf = ({ n, side }: Pick<HistoryRow, 'n' | 'side'>): string => `${n} ${side}`;

function unique(movements: readonly Movement[]): Movement[] {
  return [...new Map(movements.map((each) => [JSON.stringify([each.tx, each.position, each.coin, each.from, each.to]), each])).values()];
}

function sumOf(movements: readonly Movement[]): Flow {
  return movements
    .map(({ usd }): Flow => ({ usd: usd ?? 0, transfers: 1, unknownTransfers: usd === null ? 1 : 0 }))
    .reduce(addFlows, noFlow);
}
