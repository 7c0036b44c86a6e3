import { addFlows, beyond, type Flow, noFlow, type RiskStore } from '@weir/risk-engine';
import { labelledSides } from './labelled.ts';
import { bySize, cents, percents } from './shares.ts';
import type { AddressSubject } from './subject.ts';

export interface CounterpartyShare {
  readonly name: string;
  /** Known USD, received plus sent. */
  readonly amount: number;
  readonly percent: number;
}

/** A pie chart has no use for more; the rest are `Others`. */
const mostNames = 100;
const unlabelled = 'Unknown';
const others = 'Others';

/** Counterparties by name, largest first; the two collective names come last. */
export async function addressCounterparties(store: RiskStore, subject: AddressSubject): Promise<CounterpartyShare[]> {
  const sides = await labelledSides(store, subject);
  const byName = new Map<string, Flow>();
  for (const { labels, flow } of [...sides.in.known, ...sides.out.known]) {
    const { name } = labels[0];
    // A label with a collective name identifies nobody, and no slice may appear twice.
    if (name !== unlabelled && name !== others) byName.set(name, addFlows(byName.get(name) ?? noFlow, flow));
  }
  const whole = addFlows(sides.in.total, sides.out.total);
  const larger = bySize(whole);
  const named = [...byName].sort(([a, x], [b, y]) => larger(x, y) || (a < b ? -1 : 1));
  const known = named.reduce((sum, [, flow]) => addFlows(sum, flow), noFlow);
  const rest = beyond(whole, known);
  const small = named.slice(mostNames).reduce((sum, [, flow]) => addFlows(sum, flow), noFlow);
  const items = [...named.slice(0, mostNames), [others, small] as const, [unlabelled, rest] as const].filter(
    ([, { transfers }]) => transfers > 0,
  );
  const shares = percents(items.map(([, flow]) => flow));
  return items.map(([name, { usd }], index) => ({ name, amount: cents(usd), percent: shares[index] ?? 0 }));
}
