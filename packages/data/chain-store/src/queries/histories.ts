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
  type Side,
} from '@weir/risk-engine';
import { type Asked, readLargest, readSides, type ReadSide } from './history-rows.ts';

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
  const read = await readSides(db, chain, requests, bounds.largest + bounds.nearest + 1);
  const cut = requests.flatMap((request) =>
    (['in', 'out'] as const).flatMap((side): Asked[] => (read.get(request.address)?.[side].isCut === true ? [{ ...request, side }] : [])),
  );
  const largest = await readLargest(db, chain, cut, bounds.largest);
  const listed = (address: string, side: Side, { movements, total, isCut }: ReadSide): Listed => {
    if (!isCut) return { movements, rest: noFlow };
    const both = joined(movements.slice(0, bounds.nearest), largest(address, side));
    return { movements: both, rest: beyond(total, sumOf(both)) };
  };
  return new Map(
    [...read].map(([address, sides]) => {
      const [received, sent] = [listed(address, 'in', sides.in), listed(address, 'out', sides.out)];
      const history = {
        movements: [...received.movements, ...sent.movements],
        rest: { in: received.rest, out: sent.rest },
        peers: { in: sides.in.peers, out: sides.out.peers },
      };
      return [address, history];
    }),
  );
}

interface Listed {
  readonly movements: readonly Movement[];
  readonly rest: Flow;
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
