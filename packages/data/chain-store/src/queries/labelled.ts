import { type Flow, type Label, noFlow, type RiskStore, type Side, countedLabels } from '@weir/risk-engine';
import type { AddressSubject } from './subject.ts';

export interface Known {
  readonly address: string;
  readonly flow: Flow;
  /** Worst first, at least one. */
  readonly labels: readonly [Label, ...Label[]];
}

export interface SideOf {
  readonly total: Flow;
  readonly known: readonly Known[];
}

/** Both sides of an address with its labelled counterparties, the largest 5,000 a side (the store's bound). Three statements. */
export async function labelledSides(store: RiskStore, { chain, address, atMs }: AddressSubject): Promise<Record<Side, SideOf>> {
  const [received, sent] = await Promise.all([store.flows(chain, [address], 'in'), store.flows(chain, [address], 'out')]);
  const sides = { in: received.get(address), out: sent.get(address) };
  const peers = new Set([...(sides.in?.items ?? []), ...(sides.out?.items ?? [])].map((item) => item.address));
  const labels = peers.size === 0 ? new Map<string, readonly Label[]>() : await store.labelsOf(chain, [...peers], atMs);
  const sideOf = (side: Side): SideOf => ({
    total: sides[side]?.total ?? noFlow,
    known: (sides[side]?.items ?? []).flatMap(({ address: peer, ...flow }) => {
      const [first, ...others] = countedLabels(labels.get(peer) ?? []);
      return first === undefined ? [] : [{ address: peer, flow, labels: [first, ...others] as const }];
    }),
  });
  return { in: sideOf('in'), out: sideOf('out') };
}
