import type { Flow, Label, Movement, Side } from '../store.ts';
import { type Rule, rules } from './holding.ts';
import type { Lookup } from './lookup.ts';
import { LentMoney } from './lent.ts';
import { withoutLoans } from './loans.ts';
import { Losses } from './losses.ts';
import { inTimeOrder } from './order.ts';
import { type Payment, paymentsOf } from './payment.ts';
import { indexByPayee, pathsTo } from './path.ts';
import type { Reading } from './reading.ts';
import { type Rest, restOf } from './rest.ts';
import { type Life, type ReadLimits, selectAddresses } from './select.ts';
import { type Carried, isApart, solverOf } from './solve.ts';
import { bridgeLabel, type Source, type Sources, sourcesOf } from './sources.ts';
import { type Sums, type Tags, taintedUsd, without } from './taint.ts';

/** One payment to the subject. */
export interface Receipt extends Carried {
  readonly payment: Payment;
  /** USD that the subject itself had received and paid to the payer before, in the order of the taint: the same illicit money again. */
  readonly cameBack: Sums;
  /** USD of a direct payment that the subject had paid to the same source before, as a victim whom the thief pays back. */
  readonly refunded: number;
}

/** Unlisted transfers with one address of a source. */
interface RestWithSource {
  readonly tag: number;
  readonly address: string;
  readonly flow: Flow;
}

/** One side of a subject, as far as it was read. */
export interface TracedReceipts {
  readonly side: Side;
  readonly receipts: readonly Receipt[];
  /** Of the subject, not among the receipts. */
  readonly rest: { readonly direct: readonly RestWithSource[]; readonly clean: Flow; readonly unread: Flow };
  /** Receipts straight from a bridge, with its label. */
  readonly bridged: readonly { readonly label: Label; readonly receipt: Receipt }[];
  /** By tag. */
  readonly sources: readonly Source[];
  readonly tags: Tags;
  /** The payments that brought most of a tag's money, from the subject on; empty without traced money. */
  pathOf(tag: number): readonly Payment[];
  /** Payers that stand for all the small ones that were not read. */
  readonly sample: ReadonlySet<string>;
  /** Distinct counterparties of the subject's whole life. */
  readonly peers: Readonly<Record<Side, number>>;
  /** Addresses whose transfers were read. */
  readonly addresses: number;
  readonly transfers: number;
}

/**
 * Each view is one way to see the side, and the worst counts: by what suspicions say of those who bear them or by what these received, and
 * by each rule that says which of his money a payer pays.
 */
export async function traceReceipts(
  lookup: Lookup,
  life: Life,
  side: Side,
  limits?: ReadLimits,
): Promise<readonly [TracedReceipts, ...TracedReceipts[]]> {
  const subject = life.address;
  const reading = await selectAddresses(lookup, life, side, limits);
  const rest = await restOf(lookup, subject, reading);
  const movements = reading.movements();
  const sources = sourcesOf([...reading.sightings(movements), ...rest.direct.map(({ label, flow }) => ({ label, usd: flow.usd }))]);
  const views = (suspicions: 'label' | 'trace') => viewsOf(subject, { reading, rest, movements, sources }, suspicions);
  const suspected = movements.some(({ from, to }) => [from, to].some((address) => reading.isSuspected(address)));
  const [first, ...others] = views('label');
  return suspected ? [first, ...others, ...views('trace')] : [first, ...others];
}

interface Found {
  readonly reading: Reading;
  readonly rest: Rest;
  readonly movements: readonly Movement[];
  readonly sources: Sources;
}

function viewsOf(
  subject: string,
  { reading, rest, movements, sources }: Found,
  suspicions: 'label' | 'trace',
): readonly [TracedReceipts, ...TracedReceipts[]] {
  const { side } = reading;
  const roleOf = reading.roles(subject, sources, movements, suspicions);
  const pays = (address: string): boolean => {
    const role = roleOf(address);
    return role.kind === 'service' || (role.kind === 'wallet' && role.probableService);
  };
  const payments = withoutLoans(paymentsOf(inTimeOrder(movements, pays), side), (address) => isApart(roleOf(address)));
  const entityOf = (address: string): string | undefined => {
    const role = roleOf(address);
    return role.kind === 'source' ? sources.all[role.tag]?.entity : undefined;
  };
  const solve = solverOf(payments, roleOf, sources.tags, reading.vaults);
  const indicesByPayee = indexByPayee(payments);
  const view = (rule: Rule): TracedReceipts => {
    const carried = solve(rule);
    const accounts = { subject, lent: new LentMoney(sources.tags.unread), losses: new Losses(entityOf) };
    const receipts = receiptsOf(payments, carried, accounts);
    return {
      side,
      receipts,
      bridged: receipts.flatMap((receipt) => {
        const label = bridgeLabel(reading.labels.get(receipt.payment.payer) ?? []);
        return label === undefined ? [] : [{ label, receipt }];
      }),
      rest: { ...rest, direct: rest.direct.map(({ address, label, flow }) => ({ tag: sources.tagOf(label), address, flow })) },
      sources: sources.all,
      tags: sources.tags,
      pathOf: pathsTo(subject, payments, carried, indicesByPayee),
      sample: reading.sample,
      peers: reading.peersOf(subject),
      addresses: reading.addresses,
      transfers: reading.transfers,
    };
  };
  const mixed = view('haircut');
  return dependsOnRule(mixed) ? [mixed, ...rules.filter((rule) => rule !== 'haircut').map(view)] : [mixed];
}

/** Nobody answers for what others do with his money, so what was paid is followed by haircut alone. Money that reaches nobody by haircut reaches nobody by any rule. */
function dependsOnRule({ side, receipts }: TracedReceipts): boolean {
  return side === 'in' && receipts.some(({ direct, returned, taint }) => !direct && returned === 0 && taintedUsd(taint) > 0);
}

interface Accounts {
  readonly subject: string;
  readonly lent: LentMoney;
  readonly losses: Losses;
}

function receiptsOf(payments: readonly Payment[], carried: readonly Carried[], { subject, lent, losses }: Accounts): Receipt[] {
  const receipts: Receipt[] = [];
  payments.forEach((payment, index) => {
    const one = carried[index];
    if (one === undefined) return;
    if (payment.payer === subject) {
      lent.pay(payment, one.taint);
      losses.pay(payment);
    }
    if (payment.payee !== subject) return;
    const refunded = losses.receive(payment);
    for (const part of partsOf(payment, one)) receipts.push({ ...part, cameBack: lent.receive(payment, part.taint), refunded });
  });
  return receipts;
}

/** One, or the new money apart from the old. */
function partsOf(payment: Payment, carried: Carried): (Carried & { readonly payment: Payment })[] {
  const { taint, returned, returnedTaint } = carried;
  if (returnedTaint === undefined || returned === 0) return [{ ...carried, payment }];
  return [
    { ...carried, payment: { ...payment, usd: payment.usd - returned }, taint: without(taint, returnedTaint), returned: 0 },
    { ...carried, payment: { ...payment, usd: returned }, taint: returnedTaint },
  ];
}
