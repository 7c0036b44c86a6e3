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
  MovementSet,
  noFlow,
} from '@weir/risk-engine';
import { type Asked, type Listed, readLargest, readNear, readTotals } from './history-rows.ts';

const maxRequests = 2_000;
const nothing: Listed = { movements: [], isCut: false };

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
  const pairs = requests.map((request): readonly [received: Asked, sent: Asked] => [
    { ...request, side: 'in' },
    { ...request, side: 'out' },
  ]);
  const all = pairs.flat();
  const addresses = requests.map(({ address }) => address);
  const totals = await readTotals(db, chain, addresses);
  const transfersOf = ({ address, side }: Asked): number => totals.get(address)?.[side].transfers ?? 0;
  const asked = all.filter((one) => transfersOf(one) > 0);
  const near = await readNear(db, chain, asked, { limit, isFew: (one) => transfersOf(one) < limit });
  const cut = asked.filter((one) => near.get(one)?.isCut === true);
  const largest = await readLargest(db, chain, cut, bounds.largest);
  const listed = (one: Asked, total: Flow): { readonly movements: readonly Movement[]; readonly rest: Flow } => {
    const { movements: nearest, isCut } = near.get(one) ?? nothing;
    if (!isCut) return { movements: nearest, rest: noFlow };
    const movements = joined(nearest.slice(0, bounds.nearest), largest.get(one)?.movements ?? []);
    return { movements, rest: beyond(total, sumOf(movements)) };
  };
  return new Map(
    pairs.flatMap(([one, other]) => {
      const total = totals.get(one.address);
      if (total === undefined) return [];
      const [received, sent] = [listed(one, total.in), listed(other, total.out)];
      const history = {
        movements: [...received.movements, ...sent.movements],
        rest: { in: received.rest, out: sent.rest },
        peers: { in: total.in.peers, out: total.out.peers },
      };
      return [[one.address, history]];
    }),
  );
}

/** Each once, in this order: the second may list some of the first again. */
function joined(movements: readonly Movement[], others: readonly Movement[]): Movement[] {
  const known = new MovementSet();
  return [...movements, ...others].filter((one) => known.add(one));
}

function sumOf(movements: readonly Movement[]): Flow {
  return movements
    .map(({ usd }): Flow => ({ usd: usd ?? 0, transfers: 1, unknownTransfers: usd === null ? 1 : 0 }))
    .reduce(addFlows, noFlow);
}
