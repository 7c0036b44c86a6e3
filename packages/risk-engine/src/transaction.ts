import { scoreAddress } from './address.ts';
import { compare } from './combine.ts';
import { exposureOf, largestFirst } from './exposures.ts';
import { addFlows, noFlow, shareOf } from './flow.ts';
import { isToken, riskLabel } from './labels.ts';
import { type Assessment, type Exposure, orderDetails, roundTo, unknown } from './result.ts';
import type { Flow, Label, Leg, RiskStore } from './store.ts';

/** `deposit`: where the money comes from is scored. `withdraw`: where it goes. */
export type Direction = 'deposit' | 'withdraw';

/** Addresses of a side that are looked at closely: every one with a risk label, and the largest of the others. */
const closeLooks = 50;

interface Side {
  readonly total: Flow;
  /** Largest share first. */
  readonly members: readonly { address: string; flow: Flow }[];
}

/**
 * Scores a transaction by one side of it. A side with several addresses is as bad as its worst: the inputs of a Bitcoin transaction are
 * signed together, and mixing one bad input with good ones must not help. The evidence of all is listed, and the bearers of risk labels on
 * the side themselves too, at hop 1. Tokens are passed over unless the side has nothing else.
 */
export async function scoreTransaction(
  store: RiskStore,
  chain: string,
  txid: string,
  direction: Direction,
  atMs: number,
): Promise<Assessment> {
  const legs = await store.transfersOf(chain, txid);
  if (legs.length === 0) return unknown;
  const side = sideOf(legs, direction);
  const labels = await store.labelsOf(
    chain,
    side.members.map(({ address }) => address),
    atMs,
  );
  const people = side.members.filter(({ address }) => !isToken(labels.get(address) ?? []));
  const members = people.length > 0 ? people : side.members;
  const labelled = members.filter(({ address }) => riskLabel(labels.get(address) ?? []) !== undefined);
  const looks = [...new Set([...labelled, ...members].slice(0, closeLooks))];
  const assessed: Assessment[] = [];
  for (const { address } of looks) assessed.push(await scoreAddress(store, chain, address, atMs, labels.get(address) ?? []));
  const worst = assessed.toSorted((a, b) => b.score - a.score)[0];
  if (worst === undefined) return { ...unknown, coverage: 'transfers' };
  return {
    ...worst,
    detailList: orderDetails(assessed.flatMap(({ detailList }) => detailList)),
    exposures: mergeExposures([...sideExposures(labelled, labels, side.total), ...assessed.flatMap(({ exposures }) => exposures)]),
    hackingEvent: worst.hackingEvent || (assessed.find(({ hackingEvent }) => hackingEvent !== '')?.hackingEvent ?? ''),
    coverage: assessed.some(({ coverage }) => coverage === 'labels' || coverage === 'full') ? 'full' : 'transfers',
  };
}

function sideOf(legs: readonly Leg[], direction: Direction): Side {
  const flows = new Map<string, Flow>();
  let total = noFlow;
  for (const leg of legs) {
    const address = direction === 'deposit' ? leg.from : leg.to;
    if (address === null) continue;
    const flow = { usd: leg.usd ?? 0, transfers: 1, unknownTransfers: leg.usd === null ? 1 : 0 };
    flows.set(address, addFlows(flows.get(address) ?? noFlow, flow));
    total = addFlows(total, flow);
  }
  const members = [...flows].map(([address, flow]) => ({ address, flow }));
  return { total, members: members.toSorted((a, b) => shareOf(b.flow, total) - shareOf(a.flow, total) || compare(a.address, b.address)) };
}

function sideExposures(members: Side['members'], labels: ReadonlyMap<string, readonly Label[]>, total: Flow): Exposure[] {
  return members.flatMap(({ address, flow }) => {
    const label = riskLabel(labels.get(address) ?? []);
    return label === undefined ? [] : [exposureOf(label, flow, total)];
  });
}

/** One line for an entity: volumes add up; of shares of different wholes the largest stands. */
function mergeExposures(exposures: readonly Exposure[]): Exposure[] {
  const lines = new Map<string, Exposure>();
  for (const exposure of exposures) {
    const key = `${exposure.riskType}\n${exposure.exposureType}\n${exposure.entity}`;
    const before = lines.get(key);
    lines.set(
      key,
      before === undefined
        ? exposure
        : {
            ...before,
            volume: roundTo(before.volume + exposure.volume, 2),
            percent: Math.max(before.percent, exposure.percent),
            hopNum: Math.min(before.hopNum, exposure.hopNum),
          },
    );
  }
  return largestFirst([...lines.values()]);
}
