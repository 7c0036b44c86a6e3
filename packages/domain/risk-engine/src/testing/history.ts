import { compare } from '../combine.ts';
import { addFlows, beyond, flowOf, noFlow } from '../flow.ts';
import type { Flow, History, HistoryBounds, HistoryRequest, Movement, Side } from '../store.ts';

/** `movements`: all of the address, from its whole life. */
export function historyOf(movements: readonly Movement[], request: HistoryRequest, bounds: HistoryBounds): History {
  const { address } = request;
  const [received, sent] = [movements.filter(({ to }) => to === address), movements.filter(({ from }) => from === address)];
  const [incoming, outgoing] = [listed(received, request, bounds), listed(sent, request, bounds)];
  return {
    movements: [...incoming.movements, ...outgoing.movements],
    rest: { in: incoming.rest, out: outgoing.rest },
    peers: { in: peersOf(received, 'in'), out: peersOf(sent, 'out') },
  };
}

function listed(
  side: readonly Movement[],
  { at, towards }: HistoryRequest,
  { largest, nearest }: HistoryBounds,
): { readonly movements: readonly Movement[]; readonly rest: Flow } {
  const inTime = side.filter((movement) => (towards === 'past' ? movement.at <= at : movement.at >= at));
  if (inTime.length <= largest + nearest) return { movements: inTime, rest: noFlow };
  const kept = new Set([
    ...inTime.toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || byPlace(a, b)).slice(0, largest),
    ...inTime.toSorted((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at) || byPlace(a, b)).slice(0, nearest),
  ]);
  return { movements: [...kept], rest: beyond(sumOf(side), sumOf([...kept])) };
}

function byPlace(a: Movement, b: Movement): number {
  return compare(a.tx, b.tx) || a.position - b.position || compare(a.coin, b.coin) || compare(a.from, b.from) || compare(a.to, b.to);
}

function sumOf(movements: readonly Movement[]): Flow {
  return movements.map(({ usd }) => flowOf(usd)).reduce<Flow>(addFlows, noFlow);
}

function peersOf(movements: readonly Movement[], side: Side): number {
  return new Set(movements.map(({ from, to }) => (side === 'in' ? from : to))).size;
}
