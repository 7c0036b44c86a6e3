import type { Flow, Side } from '../store.ts';
import type { Lookup } from './lookup.ts';
import { inTimeOrder } from './order.ts';
import { type Payment, paymentsOf } from './payment.ts';
import { restOf } from './rest.ts';
import { type Budget, selectAddresses } from './select.ts';
import { type Carried, solve } from './solve.ts';
import type { SourceKind } from './sources.ts';
import type { Tags } from './taint.ts';

/** One payment to the subject. */
export interface Receipt extends Carried {
  readonly payment: Payment;
  /** The part (0 to 1) that came back from somebody whom the subject had paid. */
  readonly cameBack: number;
}

/** One side of a subject, as far as it was read. */
export interface TracedReceipts {
  readonly side: Side;
  readonly receipts: readonly Receipt[];
  /** Of the subject, not among the receipts. */
  readonly rest: { readonly direct: readonly { readonly tag: number; readonly flow: Flow }[]; readonly clean: Flow; readonly unread: Flow };
  readonly kinds: readonly SourceKind[];
  readonly tags: Tags;
  /** Distinct counterparties of the subject's whole life. */
  readonly peers: Readonly<Record<Side, number>>;
  /** Addresses whose transfers were read. */
  readonly addresses: number;
  readonly transfers: number;
}

export async function traceReceipts(lookup: Lookup, subject: string, side: Side, budget?: Budget): Promise<TracedReceipts> {
  const reading = await selectAddresses(lookup, subject, side, budget);
  const rest = await restOf(lookup, subject, reading);
  const kinds = reading.sourceKinds(rest.direct.map(({ label }) => label));
  const roleOf = reading.roles(subject, kinds);
  const pays = (address: string): boolean => {
    const role = roleOf(address);
    return role.kind === 'service' || (role.kind === 'wallet' && role.probableService);
  };
  const payments = paymentsOf(inTimeOrder(reading.movements(), pays), side);
  const carried = solve(payments, roleOf, kinds.tags);
  return {
    side,
    receipts: receiptsOf(subject, payments, carried),
    rest: { ...rest, direct: rest.direct.map(({ label, flow }) => ({ tag: kinds.tagOf(label), flow })) },
    kinds: kinds.kinds,
    tags: kinds.tags,
    peers: reading.peersOf(subject),
    addresses: reading.addresses,
    transfers: reading.transfers,
  };
}

function receiptsOf(subject: string, payments: readonly Payment[], carried: readonly Carried[]): Receipt[] {
  const owed = new Map<string, number>();
  const receipts: Receipt[] = [];
  payments.forEach((payment, index) => {
    const { payer, payee, usd } = payment;
    const one = carried[index];
    if (payer === subject) owed.set(payee, (owed.get(payee) ?? 0) + usd);
    if (payee !== subject || one === undefined) return;
    const back = Math.min(owed.get(payer) ?? 0, usd);
    owed.set(payer, (owed.get(payer) ?? 0) - back);
    receipts.push({ ...one, payment, cameBack: usd > 0 ? back / usd : 0 });
  });
  return receipts;
}
