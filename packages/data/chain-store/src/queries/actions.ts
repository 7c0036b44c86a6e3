import { addFlows, beyond, type Flow, noFlow, type RiskStore } from '@weir/risk-engine';
import { type Action, actionOf, actions } from './categories.ts';
import { labelledSides, type SideOf } from './labelled.ts';
import { bySize, percents } from './shares.ts';
import type { AddressSubject } from './subject.ts';

interface ActionShare {
  readonly action: Action;
  /** Transfers. */
  readonly count: number;
  /** Percent of the side's USD volume. Unknown values are weighed as in a score. */
  readonly proportion: number;
}

export interface AddressActions {
  readonly received_txs: ActionShare[];
  readonly spent_txs: ActionShare[];
}

export async function addressActions(store: RiskStore, subject: AddressSubject): Promise<AddressActions> {
  const sides = await labelledSides(store, subject);
  return { received_txs: actionsOf(sides.in), spent_txs: actionsOf(sides.out) };
}

function actionsOf({ total, known }: SideOf): ActionShare[] {
  const flows = new Map<Action, Flow>();
  const add = (action: Action, flow: Flow): void => void flows.set(action, addFlows(flows.get(action) ?? noFlow, flow));
  for (const { labels, flow } of known) add(actionOf(labels), flow);
  const all = known.reduce((sum, { flow }) => addFlows(sum, flow), noFlow);
  add('Transfer', beyond(total, all));
  const larger = bySize(total);
  const items = actions
    .map((action) => ({ action, flow: flows.get(action) ?? noFlow }))
    .filter(({ flow }) => flow.transfers > 0)
    .sort((a, b) => larger(a.flow, b.flow));
  const shares = percents(items.map(({ flow }) => flow));
  return items.map(({ action, flow }, index) => ({ action, count: flow.transfers, proportion: shares[index] ?? 0 }));
}
