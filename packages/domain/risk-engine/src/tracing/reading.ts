import type { Lookup } from '../attribution/lookup.ts';
import { withoutLoans } from '../attribution/loans.ts';
import { MovementSet } from '../attribution/movement-set.ts';
import { inTimeOrder } from '../attribution/order.ts';
import { paymentsOf } from '../attribution/payment.ts';
import { maySwap, standingOf } from '../attribution/sources.ts';
import { isService } from '../labels.ts';
import type { History, HistoryBounds, Label } from '../store.ts';
import { attribution, canonicalCategory } from '../weights.ts';
import { type Ledger, ledgerOf } from './ledger.ts';
import { isPassage, joinSwaps, type Leg, type ValuedMovement, valued } from './swaps.ts';

/**
 * Where the trail goes no further. `service`: labelled, its customers' money is mixed. `risk`: bears a risk label of another kind than
 * the subject. `hub`: unlabelled, with more transfers than are read. `unread`: the budget ended. `wallet`: it goes on.
 */
export type Standing = 'subject' | 'service' | 'risk' | 'hub' | 'unread' | 'wallet';

/** Bounds the parameters of a statement. */
const transactionsPerCall = 2_000;
/** The end of the time that a date can hold. */
const endOfTime = 8.64e15;
const usual: HistoryBounds = { largest: attribution.largest_transfers, nearest: attribution.nearest_transfers };
const deep: HistoryBounds = { largest: attribution.subject_transfers, nearest: attribution.subject_transfers };

/** The transfers and labels read so far. Each address is read whole, because the balance at a payment depends on all before it. */
export class TraceReading {
  readonly subject: string;
  readonly #lookup: Lookup;
  readonly #coin: string | undefined;
  readonly #movements = new MovementSet();
  readonly #wallets = new Set<string>();
  readonly #hubs = new Set<string>();
  readonly #transactions = new Set<string>();
  #labels: ReadonlyMap<string, readonly Label[]> = new Map();

  /** `coin`: only transfers in it are followed, in its units. */
  constructor(lookup: Lookup, subject: string, coin?: string) {
    this.#lookup = lookup;
    this.#coin = coin;
    this.subject = subject;
  }

  get unit(): string {
    return this.#coin ?? 'USD';
  }

  /** Addresses whose transfers were asked for. */
  get addresses(): number {
    return this.#wallets.size + this.#hubs.size;
  }

  get transfers(): number {
    return this.#movements.size;
  }

  /** `until`: Unix milliseconds. Undefined: no transfer is known. */
  async readSubject(until = endOfTime): Promise<History | undefined> {
    await this.readLabels([this.subject]);
    const requests = [{ address: this.subject, at: until, towards: 'past' }] as const;
    const history = (await this.#lookup.histories(requests, deep)).get(this.subject);
    for (const movement of history?.movements ?? []) this.#movements.add(movement);
    return history;
  }

  async readLabels(addresses: Iterable<string>): Promise<void> {
    this.#labels = await this.#lookup.labelsOf([...addresses].filter((address) => !isPassage(address)));
  }

  /** `deepOnes`: those whose thousands of transfers are worth reading, if few addresses deal with them. One or two reads for all. */
  async readAddresses(addresses: readonly string[], deepOnes: ReadonlySet<string>): Promise<void> {
    const histories = await this.#histories(addresses, usual);
    const cut = addresses.filter((address) => isCut(histories.get(address)));
    const few = cut.filter((address) => deepOnes.has(address) && fewestPeers(histories.get(address)) < attribution.probable_service_peers);
    const more = await this.#histories(few, deep);
    for (const address of addresses) {
      const history = more.get(address) ?? histories.get(address);
      if (isCut(history)) this.#hubs.add(address);
      else this.#add(address, history);
    }
  }

  /** All that happened in the transactions in which a service or a hub may have swapped. */
  async readTransactions(legs: readonly Leg[]): Promise<boolean> {
    const wanted = new Set(legs.map(({ movement }) => movement.tx).filter((tx) => !this.#transactions.has(tx)));
    if (wanted.size === 0) return false;
    const next = [...wanted].slice(0, transactionsPerCall);
    for (const tx of next) this.#transactions.add(tx);
    const found = await this.#lookup.movementsIn(next);
    for (const movement of [...found.values()].flat()) this.#movements.add(movement);
    return true;
  }

  mayHaveSwapped(address: string): boolean {
    return this.#hubs.has(address) || maySwap(this.labelsOf(address), this.#lookup.hasContracts);
  }

  labelsOf(address: string): readonly Label[] {
    return this.#labels.get(address) ?? [];
  }

  standing(address: string): Standing {
    if (address === this.subject) return 'subject';
    const labels = this.labelsOf(address);
    const { kind } = standingOf(labels);
    if (isService(labels) || kind === 'token') return 'service';
    if (kind === 'source' && !this.#isOfTheSameCase(labels)) return 'risk';
    if (this.#hubs.has(address)) return 'hub';
    return this.#wallets.has(address) ? 'wallet' : 'unread';
  }

  /** Of transfers with a known value. A token's contract is nobody's counterparty: who wraps a coin still has it. */
  ledger(): Ledger<Leg> {
    const isServing = (address: string): boolean => this.standing(address) === 'service';
    const all = this.#movements.values().flatMap((each) => valued(each, this.#coin) ?? []);
    const between = all.filter(({ from, to }) => !this.#isToken(from) && !this.#isToken(to));
    const ordered = settled(inTimeOrder(between, isServing), (address) => ['service', 'risk'].includes(this.standing(address)));
    const legs = joinSwaps(ordered, this.subject, isServing);
    return ledgerOf(legs, (address) => !isPassage(address) && this.standing(address) !== 'wallet');
  }

  #histories(addresses: readonly string[], bounds: HistoryBounds): Promise<ReadonlyMap<string, History>> {
    const requests = addresses.map((address) => ({ address, at: endOfTime, towards: 'past' }) as const);
    return this.#lookup.histories(requests, bounds);
  }

  #add(address: string, history: History | undefined): void {
    this.#wallets.add(address);
    for (const movement of history?.movements ?? []) this.#movements.add(movement);
  }

  #isToken(address: string): boolean {
    return standingOf(this.labelsOf(address)).kind === 'token';
  }

  /** The wallets of one thief bear the same kind of label. */
  #isOfTheSameCase(labels: readonly Label[]): boolean {
    const own = new Set(this.labelsOf(this.subject).map(({ category }) => canonicalCategory(category)));
    const { label } = standingOf(labels) as { label?: Label };
    return label !== undefined && own.has(canonicalCategory(label.category));
  }
}

/** The last transfers of the address, of one side, that are sure to be read. */
export const surelyRead = deep.nearest;

/** Without what was lent and paid back in one transaction. */
function settled(ordered: readonly ValuedMovement[], isApart: (address: string) => boolean): ValuedMovement[] {
  const payments = withoutLoans(paymentsOf(ordered, 'in'), isApart);
  return ordered.flatMap((movement, index) => {
    const usd = payments[index]?.usd ?? 0;
    return usd > 0 ? [{ ...movement, usd }] : [];
  });
}

function isCut(history: History | undefined): boolean {
  return history !== undefined && history.rest.in.transfers + history.rest.out.transfers > 0;
}

function fewestPeers(history: History | undefined): number {
  return Math.min(history?.peers.in ?? 0, history?.peers.out ?? 0);
}
