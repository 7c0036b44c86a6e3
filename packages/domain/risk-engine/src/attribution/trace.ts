import { addFlows, noFlow } from '../flow.ts';
import { isService, riskLabel } from '../labels.ts';
import type { Flows, Flow, Label, Side } from '../store.ts';
import { type Limits, limits as defaults } from '../weights.ts';
import type { Lookup } from './lookup.ts';
import { type Spread, spreadOf, withoutTokens } from './spread.ts';
import { advance, serviceTrail, startTrail, type Trail } from './trail.ts';

export interface Subject {
  readonly address: string;
  readonly labels: readonly Label[];
}

export interface TracedSide {
  /** Excludes tokens, except for a service, whose counterparties are not read. */
  readonly total: Flow;
  /** Has any flow, tokens included. */
  readonly known: boolean;
  /** Counterparties with a risk label. */
  readonly direct: readonly { readonly label: Label; readonly flow: Flow }[];
  readonly trail: Trail;
}

export interface Traced extends Readonly<Record<Side, TracedSide>> {
  readonly subject: Subject;
}

type BySide<T> = Readonly<Record<Side, T>>;
type Labels = ReadonlyMap<string, readonly Label[]>;
type Given = BySide<ReadonlyMap<string, Flows>>;

/** All subjects together, so that a hop costs one round of calls. Each result is the same as for the subject alone. */
export async function traceAll(lookup: Lookup, subjects: readonly Subject[], limits: Limits = defaults): Promise<Traced[]> {
  const services = new Set(subjects.filter(({ labels }) => isService(labels)).map(({ address }) => address));
  const first = new Map(subjects.map(({ address }) => [address, services.has(address) ? 0 : needed(1, limits)]));
  const given: Given = { in: await lookup.flows(first, 'in'), out: await lookup.flows(first, 'out') };
  const labels = await lookup.labelsOf(counterparties(given, services));
  let traced = subjects.map((subject) =>
    services.has(subject.address) ? leaveService(subject, given) : startBoth(subject, given, labels, limits),
  );
  for (let hop = 2; hop <= limits.hops; hop++) {
    const wanted = { in: frontiers(traced, 'in', limits), out: frontiers(traced, 'out', limits) };
    if (wanted.in.size + wanted.out.size === 0) break;
    traced = await advanceAll(lookup, traced, wanted, limits);
  }
  return traced;
}

/** Includes every counterparty that holds at least epsilon. */
function needed(mass: number, limits: Limits): number {
  return Math.ceil(mass / limits.epsilon);
}

function leaveService(subject: Subject, given: Given): Traced {
  const { address } = subject;
  const sideOf = (flows: Flows | undefined): TracedSide => ({
    total: flows?.total ?? noFlow,
    known: isKnown(flows),
    direct: [],
    trail: serviceTrail(address),
  });
  return { subject, in: sideOf(given.in.get(address)), out: sideOf(given.out.get(address)) };
}

/** Averages unknown values over both sides, so that a side's shares agree with the total's. */
function startBoth(subject: Subject, given: Given, labels: Labels, limits: Limits): Traced {
  const { address } = subject;
  const people = (side: Side): Flows => withoutTokens(given[side].get(address) ?? { total: noFlow, items: [] }, labels);
  const flows = { in: people('in'), out: people('out') };
  const whole = addFlows(flows.in.total, flows.out.total);
  const sideOf = (side: Side): TracedSide => {
    const spread = spreadOf(flows[side], whole);
    return {
      total: flows[side].total,
      known: isKnown(given[side].get(address)),
      direct: bearers(flows[side], labels),
      trail: advance(startTrail(address), new Map(spread === undefined ? [] : [[address, spread]]), labels, limits),
    };
  };
  return { subject, in: sideOf('in'), out: sideOf('out') };
}

function isKnown(flows: Flows | undefined): boolean {
  return flows !== undefined && flows.total.transfers > 0;
}

function bearers({ items }: Flows, labels: Labels): TracedSide['direct'] {
  return items.flatMap((flow) => {
    const label = riskLabel(labels.get(flow.address) ?? []);
    return label === undefined ? [] : [{ label, flow }];
  });
}

function frontiers(traced: readonly Traced[], side: Side, limits: Limits): Map<string, number> {
  const wanted = new Map<string, number>();
  for (const { address, mass } of traced.flatMap((one) => one[side].trail.frontier)) {
    wanted.set(address, Math.max(wanted.get(address) ?? 0, needed(mass, limits)));
  }
  return wanted;
}

async function advanceAll(
  lookup: Lookup,
  traced: readonly Traced[],
  wanted: BySide<ReadonlyMap<string, number>>,
  limits: Limits,
): Promise<Traced[]> {
  const given: Given = { in: await lookup.flows(wanted.in, 'in'), out: await lookup.flows(wanted.out, 'out') };
  const labels = await lookup.labelsOf(counterparties(given));
  const spreads = { in: spreadAll(given.in, labels), out: spreadAll(given.out, labels) };
  const step = (side: TracedSide, spread: ReadonlyMap<string, Spread>): TracedSide =>
    side.trail.frontier.length === 0 ? side : { ...side, trail: advance(side.trail, spread, labels, limits) };
  return traced.map((one) => ({ ...one, in: step(one.in, spreads.in), out: step(one.out, spreads.out) }));
}

function spreadAll(given: ReadonlyMap<string, Flows>, labels: Labels): Map<string, Spread> {
  const spreads = new Map<string, Spread>();
  for (const [address, flows] of given) {
    const spread = spreadOf(withoutTokens(flows, labels));
    if (spread !== undefined) spreads.set(address, spread);
  }
  return spreads;
}

function* counterparties(given: Given, except: ReadonlySet<string> = new Set()): Generator<string> {
  for (const flows of [given.in, given.out]) {
    for (const [address, { items }] of flows) {
      if (!except.has(address)) for (const item of items) yield item.address;
    }
  }
}
