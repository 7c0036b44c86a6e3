import { assessAddress } from './assess.ts';
import { createLookup, type Lookup } from './attribution/lookup.ts';
import { compare } from './combine.ts';
import { largestFirst, named, percentOf, riskTypeOf, volumeOf } from './exposures.ts';
import { addFlows, flowOf, noFlow, shareOf } from './flow.ts';
import { isToken, ownStrength, riskLabel } from './labels.ts';
import { assessPooled, type Paid } from './pooled-inputs.ts';
import { type Assessment, type Exposure, orderDetails, roundTo, unknown } from './result.ts';
import type { Flow, Label, Leg, Movement, RiskStore, Side } from './store.ts';
import { canonicalCategory, isSuspicion, sideWeights } from './weights.ts';

/** `deposit` scores the senders, `withdraw` the receivers. */
export type Direction = 'deposit' | 'withdraw';

/** A depositor answers for the source of his funds; of a receiver also counts whom he pays. */
const countedSides: Readonly<Record<Direction, readonly Side[]>> = { deposit: ['in'], withdraw: ['in', 'out'] };

/** Addresses of a side that are scored one by one: risk labels first, worst first, then the largest. The other senders are pooled. */
const closeLooks = 50;
/** Each holds up to 40,000 transfers in memory. */
const atOnce = 4;

interface Member {
  readonly address: string;
  readonly flow: Flow;
}

interface TransactionSide {
  readonly total: Flow;
  /** Largest share first. */
  readonly members: readonly Member[];
}

type Labels = ReadonlyMap<string, readonly Label[]>;

/**
 * A side is as bad as its worst address: a Bitcoin transaction's inputs are signed together, and good ones must not dilute a bad one.
 * Of more than 50 senders the smaller ones are one pool. Lists the exposures of all scored addresses, and the side's own risk labels at hop 1. Skips tokens unless nothing else is left.
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
  const ordered = [...new Set([...labelled, ...members])];
  const looks = ordered.slice(0, closeLooks);
  const assessed = await assessAll(lookup, looks, labels, direction);
  if (direction === 'deposit') assessed.push(...(await assessOthers(lookup, txid, legs, ordered.slice(closeLooks))));
  // Of equal ones the first: one address says more than the pool.
  const [worst] = assessed.toSorted((a, b) => b.score - a.score);
  // Minted or burnt: where the money was before, or goes, is not known.
  if (worst === undefined) return unknown;
  const own = await ownExposures(lookup, labelled, { txid, direction, labels, total: side.total });
  return {
    ...worst,
    detail_list: orderDetails(assessed.flatMap(({ detail_list }) => detail_list)),
    exposures: mergeExposures([...own, ...assessed.flatMap(({ exposures }) => exposures)]),
    hacking_event: worst.hacking_event || (assessed.find(({ hacking_event }) => hacking_event !== '')?.hacking_event ?? ''),
    coverage: assessed.some(({ coverage }) => coverage === 'labels' || coverage === 'full') ? 'full' : 'transfers',
    illicit_usd: assessed.reduce((sum, { illicit_usd }) => sum + illicit_usd, 0),
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
function worstLabelledFirst(members: readonly Member[], labels: Labels): readonly Member[] {
  return members
    .map((member) => ({ member, label: riskLabel(labels.get(member.address) ?? []) }))
    .filter((each): each is { member: Member; label: Label } => each.label !== undefined)
    .toSorted((a, b) => ownStrength(b.label) - ownStrength(a.label))
    .map(({ member }) => member);
}

async function assessAll(lookup: Lookup, looks: readonly Member[], labels: Labels, direction: Direction): Promise<Assessment[]> {
  const assessed: Assessment[] = [];
  for (let at = 0; at < looks.length; at += atOnce) {
    const next = looks.slice(at, at + atOnce).map(async ({ address }) => {
      const subject = { address, labels: labels.get(address) ?? [], contradictions: lookup.contradictionsOf(address) };
      return { ...(await assessAddress(lookup, subject, { sides: countedSides[direction] })), worstAddress: address };
    });
    assessed.push(...(await Promise.all(next)));
  }
  return assessed;
}

/** The senders that are not looked at one by one; the largest stands for them. */
async function assessOthers(lookup: Lookup, txid: string, legs: readonly Leg[], others: readonly Member[]): Promise<Assessment[]> {
  const [largest] = others;
  if (largest === undefined) return [];
  const senders = new Set(others.map(({ address }) => address));
  const paid = legs.filter((leg): leg is Paid => leg.from !== null && leg.to !== null && senders.has(leg.from));
  const pooled = await assessPooled(lookup, txid, paid, sideWeights);
  return [{ ...pooled, worstAddress: pooled.exposures[0]?.counterparty ?? largest.address }];
}

interface Scored {
  readonly txid: string;
  readonly direction: Direction;
  readonly labels: Labels;
  readonly total: Flow;
}

/** The addresses of the side that bear risk labels themselves. */
async function ownExposures(lookup: Lookup, members: readonly Member[], of: Scored): Promise<Exposure[]> {
  if (members.length === 0) return [];
  const movements = (await lookup.movementsIn([of.txid])).get(of.txid) ?? [];
  return members.flatMap(({ address, flow }) => {
    const label = riskLabel(of.labels.get(address) ?? []);
    if (label === undefined) return [];
    const transfers = movements.filter(({ from, to }) => address === (of.direction === 'deposit' ? from : to));
    return [ownExposure(address, label, { ...of, flow, transfers })];
  });
}

function ownExposure(
  address: string,
  label: Label,
  { direction, flow, total, transfers }: Scored & { readonly flow: Flow; readonly transfers: readonly Movement[] },
): Exposure {
  const category = canonicalCategory(label.category);
  const suspected = isSuspicion(label.confidence);
  const percent = percentOf(shareOf(flow, total));
  return {
    side: direction === 'deposit' ? 'in' : 'out',
    entity: label.name,
    risk_type: riskTypeOf(category, suspected),
    category,
    suspected,
    exposure_type: 'direct',
    hop_num: 1,
    volume: volumeOf(flow.usd),
    percent,
    side_percent: percent,
    counterparty: address,
    path: transfers.toSorted((a, b) => (b.usd ?? -1) - (a.usd ?? -1)).slice(0, 1),
    sources: named([label.source]),
  };
}

/** One line per entity and side: volumes add up, the largest share stands with its path. */
function mergeExposures(exposures: readonly Exposure[]): Exposure[] {
  const lines = new Map<string, Exposure>();
  for (const exposure of exposures) {
    const { side, category, suspected, exposure_type, entity } = exposure;
    const key = JSON.stringify([side, category, suspected, exposure_type, entity]);
    const before = lines.get(key);
    lines.set(key, before === undefined ? exposure : mergeLines(before, exposure));
  }
  return largestFirst([...lines.values()]);
}

function mergeLines(a: Exposure, b: Exposure): Exposure {
  return {
    ...(b.side_percent > a.side_percent ? b : a),
    percent: Math.max(a.percent, b.percent),
    volume: roundTo(a.volume + b.volume, 2),
    sources: named([...a.sources, ...b.sources]),
  };
}
