import { addFlows, beyond, flowOf, noFlow } from '../flow.ts';
import type { Flow, Label } from '../store.ts';
import type { Lookup } from './lookup.ts';
import { partiesOf } from './payment.ts';
import type { Reading } from './reading.ts';
import { standingOf } from './sources.ts';

/** The transfers of a subject that has too many to list them all. */
export interface Rest {
  readonly direct: readonly { readonly address: string; readonly label: Label; readonly flow: Flow }[];
  /** With services. */
  readonly clean: Flow;
  readonly unread: Flow;
}

const nothing: Rest = { direct: [], clean: noFlow, unread: noFlow };

/** The sums by counterparty tell direct contact exactly, without times. */
export async function restOf(lookup: Lookup, subject: string, reading: Reading): Promise<Rest> {
  const whole = reading.restOf(subject);
  if (whole.transfers === 0) return nothing;
  const items = (await lookup.flowsOf(subject, reading.side))?.items ?? [];
  const labels = await lookup.labelsOf(items.map(({ address }) => address));
  const listed = listedByPayer(subject, reading);
  const direct: { address: string; label: Label; flow: Flow }[] = [];
  let clean = noFlow;
  for (const { address, ...sum } of items) {
    const standing = standingOf(labels.get(address) ?? []);
    const flow = beyond(sum, listed.get(address) ?? noFlow);
    if (standing.kind === 'source') direct.push({ address, label: standing.label, flow });
    else if (standing.kind !== 'other') clean = addFlows(clean, flow);
  }
  const known = direct.reduce((sum, { flow }) => addFlows(sum, flow), clean);
  return { direct, clean, unread: beyond(whole, known) };
}

function listedByPayer(subject: string, reading: Reading): Map<string, Flow> {
  const flows = new Map<string, Flow>();
  for (const movement of reading.movements()) {
    const [payer, payee] = partiesOf(movement, reading.side);
    if (payee === subject) flows.set(payer, addFlows(flows.get(payer) ?? noFlow, flowOf(movement.usd)));
  }
  return flows;
}
