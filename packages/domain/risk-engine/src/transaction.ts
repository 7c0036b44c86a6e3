import { scoreAll } from './address.ts';
import { createLookup } from './attribution/lookup.ts';
import { compare } from './combine.ts';
import { directExposure } from './exposures/direct.ts';
import { largestFirst, named } from './exposures/lines.ts';
import { addFlows, flowOf, noFlow, shareOf } from './flow.ts';
import { isToken, ownStrength, riskLabel } from './labels.ts';
import { type Assessment, type Exposure, orderDetails, roundTo, unknown } from './result.ts';
import type { Flow, Label, Leg, RiskStore } from './store.ts';

/** `deposit` scores the senders, `withdraw` the receivers. */
export type Direction = 'deposit' | 'withdraw';

/** Scored addresses of a side: risk labels first, worst first, then the largest. */
const closeLooks = 50;

interface TransactionSide {
  readonly total: Flow;
  /** Largest share first. */
  readonly members: readonly { address: string; flow: Flow }[];
}

/**
 * A side is as bad as its worst address: a Bitcoin transaction's inputs are signed together, and good ones must not dilute a bad one.
 * Lists the exposures of all scored addresses, and the side's own risk labels at hop 1. Skips tokens unless nothing else is left.
 *
 * Senders are scored on both sides: paying thieves counts as much as being paid by them.
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
  const lookup = createLookup(store, chain, atMs);
  const labels = await lookup.labelsOf(side.members.map(({ address }) => address));
  const people = side.members.filter(({ address }) => !isToken(labels.get(address) ?? []));
  const members = people.length > 0 ? people : side.members;
  const labelled = worstLabelledFirst(members, labels);
  const looks = [...new Set([...labelled, ...members])].slice(0, closeLooks);
  const assessed = await scoreAll(
    lookup,
    looks.map(({ address }) => ({ address, labels: labels.get(address) ?? [] })),
  );
  const [first] = assessed
    .map((assessment, i) => ({ assessment, address: looks[i]?.address }))
    .toSorted((a, b) => b.assessment.score - a.assessment.score);
  const worst = first?.assessment;
  if (worst === undefined) return { ...unknown, coverage: 'transfers' };
  return {
    ...worst,
    ...(first?.address === undefined ? {} : { worstAddress: first.address }),
    detail_list: orderDetails(assessed.flatMap(({ detail_list }) => detail_list)),
    exposures: mergeExposures([...sideExposures(labelled, labels, side.total), ...assessed.flatMap(({ exposures }) => exposures)]),
    hacking_event: worst.hacking_event || (assessed.find(({ hacking_event }) => hacking_event !== '')?.hacking_event ?? ''),
    coverage: assessed.some(({ coverage }) => coverage === 'labels' || coverage === 'full') ? 'full' : 'transfers',
  };
}

function sideOf(legs: readonly Leg[], direction: Direction): TransactionSide {
  const flows = new Map<string, Flow>();
  let total = noFlow;
  for (const leg of legs) {
    const address = direction === 'deposit' ? leg.from : leg.to;
    if (address === null) continue;
    const flow = flowOf(leg.usd);
    flows.set(address, addFlows(flows.get(address) ?? noFlow, flow));
    total = addFlows(total, flow);
  }
  const members = [...flows].map(([address, flow]) => ({ address, flow }));
  return { total, members: members.toSorted((a, b) => shareOf(b.flow, total) - shareOf(a.flow, total) || compare(a.address, b.address)) };
}

/** Worst first: many gambling sites must not crowd out one thief. */
function worstLabelledFirst(
  members: TransactionSide['members'],
  labels: ReadonlyMap<string, readonly Label[]>,
): TransactionSide['members'] {
  return members
    .map((member) => ({ member, label: riskLabel(labels.get(member.address) ?? []) }))
    .filter((each): each is { member: (typeof members)[number]; label: Label } => each.label !== undefined)
    .toSorted((a, b) => ownStrength(b.label) - ownStrength(a.label))
    .map(({ member }) => member);
}

function sideExposures(members: TransactionSide['members'], labels: ReadonlyMap<string, readonly Label[]>, total: Flow): Exposure[] {
  return members.flatMap(({ address, flow }) => {
    const label = riskLabel(labels.get(address) ?? []);
    return label === undefined ? [] : [directExposure(label, [label.source], flow, total)];
  });
}

/** One line per entity: volumes add up; the largest share and the shortest path stand. */
function mergeExposures(exposures: readonly Exposure[]): Exposure[] {
  const lines = new Map<string, Exposure>();
  for (const exposure of exposures) {
    const key = `${exposure.risk_type}\n${exposure.exposure_type}\n${exposure.entity}`;
    const before = lines.get(key);
    lines.set(key, before === undefined ? exposure : mergeLines(before, exposure));
  }
  return largestFirst([...lines.values()]);
}

function mergeLines(a: Exposure, b: Exposure): Exposure {
  return {
    ...(b.hop_num < a.hop_num ? b : a),
    volume: roundTo(a.volume + b.volume, 2),
    percent: Math.max(a.percent, b.percent),
    sources: named([...a.sources, ...b.sources]),
  };
}
