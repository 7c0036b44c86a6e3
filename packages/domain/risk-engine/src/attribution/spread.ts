import { compare } from '../combine.ts';
import { addFlows, beyond, noFlow, shareOf } from '../flow.ts';
import { isToken } from '../labels.ts';
import type { Dealings, Flow, Label } from '../store.ts';

/** How one side of an address is made up. The shares of the parties and what the store left out add up to one. */
export interface Spread {
  readonly parties: readonly { readonly address: string; readonly share: number }[];
  readonly leftOut: number;
}

/**
 * Tokens pass transfers on and are nobody's counterparty: they are taken out of the whole too. By address, so that no sum depends on the
 * order in which a store lists.
 */
export function withoutTokens({ total, items }: Dealings, labels: ReadonlyMap<string, readonly Label[]>): Dealings {
  const ordered = items.toSorted((a, b) => compare(a.address, b.address));
  const people = ordered.filter(({ address }) => !isToken(labels.get(address) ?? []));
  const leftOut = beyond(total, ordered.reduce<Flow>(addFlows, noFlow));
  return { items: people, total: people.reduce<Flow>(addFlows, leftOut) };
}

/**
 * `whole` is what unknown values are averaged over; a side that weighs nothing in it is averaged over itself. Undefined where there are
 * no dealings.
 */
export function spreadOf({ total, items }: Dealings, whole: Flow = total): Spread | undefined {
  if (total.transfers <= 0) return undefined;
  const measure = shareOf(total, whole) > 0 ? whole : total;
  const all = shareOf(total, measure);
  const parties = items.map((item) => ({ address: item.address, share: shareOf(item, measure) / all }));
  const sum = parties.reduce((before, { share }) => before + share, 0);
  // Rounding may bring the sum past one; nothing is ever given out that was not there.
  return sum > 1
    ? { parties: parties.map(({ address, share }) => ({ address, share: share / sum })), leftOut: 0 }
    : { parties, leftOut: 1 - sum };
}
