import { compare } from '../combine.ts';
import { addFlows, beyond, noFlow, shareOf } from '../flow.ts';
import { isToken } from '../labels.ts';
import type { Flows, Flow, Label } from '../store.ts';

/** The shares and `leftOut` (not in the store's answer) add up to one. */
export interface Spread {
  readonly parties: readonly { readonly address: string; readonly share: number }[];
  readonly leftOut: number;
}

/** Tokens are no counterparty. Sorted by address, so that no sum depends on the store's order. */
export function withoutTokens({ total, items }: Flows, labels: ReadonlyMap<string, readonly Label[]>): Flows {
  const ordered = items.toSorted((a, b) => compare(a.address, b.address));
  const people = ordered.filter(({ address }) => !isToken(labels.get(address) ?? []));
  const leftOut = beyond(total, ordered.reduce<Flow>(addFlows, noFlow));
  return { items: people, total: people.reduce<Flow>(addFlows, leftOut) };
}

/** Averages unknown values over `whole`, or over the side if it weighs nothing there. Undefined without flows. */
export function spreadOf({ total, items }: Flows, whole: Flow = total): Spread | undefined {
  if (total.transfers <= 0) return undefined;
  const measure = shareOf(total, whole) > 0 ? whole : total;
  const all = shareOf(total, measure);
  const parties = items.map((item) => ({ address: item.address, share: shareOf(item, measure) / all }));
  const sum = parties.reduce((before, { share }) => before + share, 0);
  // Rounding may bring the sum past one.
  return sum > 1
    ? { parties: parties.map(({ address, share }) => ({ address, share: share / sum })), leftOut: 0 }
    : { parties, leftOut: 1 - sum };
}
