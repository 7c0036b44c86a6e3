import { attribution } from '../weights.ts';
import type { Rule } from './holding.ts';
import { type Links, linksOf } from './links.ts';
import type { Payment } from './payment.ts';
import { Pool } from './pool.ts';
import { amongStrangers, behindProbableService, limitToReceived, weaken } from './step.ts';
import { addTo, clean, illicitMass, scaleBy, type Tags, type Taint, wholly } from './taint.ts';
import { Vaults } from './vaults.ts';

interface Wallet {
  readonly kind: 'wallet';
  readonly probableService: boolean;
  /** A probable service with so many payers and payees that it is no thief's own. */
  readonly business: boolean;
  /** The time (of the payments) until which its transfers were read. */
  readonly readUntil: number;
  /** Of its income, 0 to 1. */
  readonly unreadShare: number;
}

/** A source's money is of its tag. A service's is clean, but for old money of its customer. */
export type Role = Wallet | { readonly kind: 'source'; readonly tag: number } | { readonly kind: 'service' } | { readonly kind: 'unread' };

/** Its money is not that of an address which is followed. */
export function isApart({ kind }: Role): boolean {
  return kind === 'source' || kind === 'service';
}

export interface Carried {
  readonly taint: Taint;
  /** Paid by a source; otherwise traced. */
  readonly direct: boolean;
  /** USD of the payee's own old money, back from services. */
  readonly returned: number;
  /** Its part of the taint, where other money came with it. */
  readonly returnedTaint?: Taint;
  /** The payments, by index, that paid for it: of the same transaction, or to services before. Empty: the payer's pool did. */
  readonly paidBy: readonly number[];
}

/** By rule, the past of each payment's money, in the order of the payments. `step.ts` has what each step takes. */
export function solverOf(
  payments: readonly Payment[],
  roleOf: (address: string) => Role,
  tags: Tags,
  vaults = new Vaults(),
): (rule: Rule) => Carried[] {
  const links = linksOf(payments, roleOf);
  const parties = partiesOf(payments, roleOf);
  const coinJoins = Map.groupBy(
    payments.keys().filter((index) => payments[index]?.movement.coin_join === true),
    (index) => payments[index]?.movement.tx ?? '',
  );
  return (rule) => new Solver({ payments, parties, tags, rule, links, coinJoins, vaults }).solve();
}

/** The payers and payees by number. Each rule looks up both for each payment; lookups by address would take most of its time. */
interface Parties {
  /** By number. */
  readonly roles: readonly Role[];
  /** Numbers, by payment. */
  readonly payers: readonly number[];
  readonly payees: readonly number[];
}

function partiesOf(payments: readonly Payment[], roleOf: (address: string) => Role): Parties {
  const numbers = new Map<string, number>();
  const roles: Role[] = [];
  const numberOf = (address: string): number => {
    const known = numbers.get(address);
    if (known !== undefined) return known;
    numbers.set(address, roles.length);
    return roles.push(roleOf(address)) - 1;
  };
  return { roles, payers: payments.map(({ payer }) => numberOf(payer)), payees: payments.map(({ payee }) => numberOf(payee)) };
}

interface Setup {
  readonly payments: readonly Payment[];
  readonly parties: Parties;
  readonly tags: Tags;
  readonly rule: Rule;
  readonly links: Links;
  /** Indices of payments by transaction. */
  readonly coinJoins: ReadonlyMap<string, readonly number[]>;
  readonly vaults: Vaults;
}

const noPayments: readonly number[] = [];

class Solver {
  readonly #payments: readonly Payment[];
  readonly #parties: Parties;
  readonly #tags: Tags;
  readonly #rule: Rule;
  /** By number. */
  readonly #pools: (Pool | undefined)[];
  /** By address: the money that it has at services. */
  readonly #atServices = new Map<string, Pool>();
  /** What others paid to vaults for an address. */
  readonly #inVaults = new Map<string, Pool>();
  /** By pool of the two, the payments to it. */
  readonly #deposits = new Map<Pool, number[]>();
  readonly #clean: Carried;
  readonly #links: Links;
  readonly #done: Carried[] = [];
  readonly #vaults: Vaults;
  /** Indices of payments by transaction, and whether mostly strangers signed it. */
  readonly #coinJoins: ReadonlyMap<string, readonly number[]>;
  readonly #mixed = new Map<string, boolean>();

  constructor({ payments, parties, tags, rule, links, coinJoins, vaults }: Setup) {
    this.#payments = payments;
    this.#parties = parties;
    this.#pools = parties.roles.map(() => undefined);
    this.#vaults = vaults;
    this.#coinJoins = coinJoins;
    this.#tags = tags;
    this.#rule = rule;
    this.#links = links;
    this.#clean = { taint: clean(tags), direct: false, returned: 0, paidBy: noPayments };
  }

  solve(): Carried[] {
    for (const payment of this.#payments) this.#done.push(this.#next(payment));
    return this.#done;
  }

  #next(payment: Payment): Carried {
    const payee = this.#roleOf(this.#payee);
    const isMixed = this.#isMixed(payment);
    const carried = this.#carry(payment, payee);
    if (isMixed) amongStrangers(carried.taint);
    const kept = 1 - (this.#links.passed.get(this.#index) ?? 0);
    if (payee.kind === 'wallet') this.#walletOf(this.#payee).receive(payment, carried.taint, kept);
    if (payee.kind === 'service') this.#deposit(payment, carried.taint, kept);
    return carried;
  }

  /** Of the payment that is next. */
  get #index(): number {
    return this.#done.length;
  }

  get #payer(): number {
    return this.#parties.payers[this.#index] as number;
  }

  get #payee(): number {
    return this.#parties.payees[this.#index] as number;
  }

  #roleOf(party: number): Role {
    return this.#parties.roles[party] as Role;
  }

  #deposit(payment: Payment, taint: Taint, kept: number): void {
    const { payer, payee, movement } = payment;
    const holder = this.#vaults.holderOf(movement.tx, payee) ?? payer;
    const pool = this.#poolOf(holder === payer ? this.#atServices : this.#inVaults, holder);
    pool.receive(payment, taint, kept);
    const deposits = this.#deposits.get(pool);
    if (deposits === undefined) this.#deposits.set(pool, [this.#index]);
    else deposits.push(this.#index);
  }

  /** Decided at the transaction's first payment, before it changes the payers' balances. */
  #isMixed({ movement: { tx } }: Payment): boolean {
    const indices = this.#coinJoins.size === 0 ? undefined : this.#coinJoins.get(tx);
    if (indices === undefined) return false;
    const known = this.#mixed.get(tx);
    if (known !== undefined) return known;
    const all = indices.reduce((sum, index) => sum + this.#usdAt(index), 0);
    const tainted = indices.reduce((sum, index) => sum + this.#usdAt(index) * this.#taintedShare(index), 0);
    const isMixed = tainted < all * attribution.coin_join_own_part;
    this.#mixed.set(tx, isMixed);
    return isMixed;
  }

  #usdAt(index: number): number {
    return this.#payments[index]?.usd ?? 0;
  }

  #taintedShare(index: number): number {
    const payer = this.#parties.payers[index] as number;
    const role = this.#roleOf(payer);
    if (role.kind === 'service') return 0;
    if (role.kind !== 'wallet' || (this.#payments[index]?.at ?? 0) > role.readUntil) return 1;
    return Math.max(this.#pools[payer]?.taintedShare ?? 0, role.unreadShare);
  }

  #carry(payment: Payment, payee: Role): Carried {
    const payer = this.#roleOf(this.#payer);
    if (payer.kind === 'source')
      return { taint: wholly(this.#tags, payer.tag, payment.usd), direct: true, returned: 0, paidBy: noPayments };
    if (payee.kind === 'source') {
      this.#walletOf(this.#payer).draw(payment.usd);
      return this.#clean;
    }
    const linked = this.#links.paidBy.get(this.#index);
    const paidBy = linked === undefined ? noPayments : linked.filter((index) => index < this.#index);
    if (payer.kind === 'service') return this.#fromService(payment, paidBy);
    if (paidBy.length > 0) return { ...this.#traced(this.#linked(payment.usd, paidBy)), paidBy };
    if (payer.kind === 'unread' || payment.at > payer.readUntil) return this.#traced(this.#unread(payment.usd));
    return this.#traced(this.#fromWallet(payment, payer));
  }

  #traced(taint: Taint): Carried {
    return { taint, direct: false, returned: 0, paidBy: noPayments };
  }

  /** As the payments that paid for it. Those that came later in the transaction are not known yet. */
  #linked(usd: number, paidBy: readonly number[]): Taint {
    const paid = paidBy.reduce((sum, index) => sum + this.#usdAt(index), 0);
    const taint = clean(this.#tags);
    for (const { taint: one } of paidBy.flatMap((index) => this.#done[index] ?? [])) addTo(taint, one, paid > 0 ? usd / paid : 0);
    weaken(taint, true);
    return taint;
  }

  /** First what its transaction paid for, then what its customers had at services, then the payee's own. The rest is clean. */
  #fromService({ payer, payee, usd, movement }: Payment, paidBy: readonly number[]): Carried {
    const share = paidBy.length > 0 ? (this.#links.paidShare.get(this.#index) ?? 1) : 0;
    let rest = usd * (1 - share);
    const taint = this.#linked(usd * share, paidBy);
    const ways = share > 0 ? [paidBy] : [];
    for (const pool of this.#lenders(payer, payee, movement.tx)) {
      const drawn = Math.min(rest, pool.balance);
      if (drawn === 0) continue;
      const more = pool.draw(drawn);
      weaken(more, true);
      addTo(taint, more);
      ways.push(this.#deposits.get(pool) ?? noPayments);
      rest -= drawn;
    }
    const own = this.#atServices.get(payee);
    const returned = Math.min(rest, own?.balance ?? 0);
    if (ways.length === 0 && returned === 0) return this.#clean;
    const returnedTaint = own?.draw(returned) ?? clean(this.#tags);
    addTo(taint, returnedTaint);
    if (returned > 0 && own !== undefined) ways.push(this.#deposits.get(own) ?? noPayments);
    const isOwn = ways.length === 1 && returned > 0;
    return {
      taint,
      direct: false,
      returned,
      paidBy: ways.length === 1 ? (ways[0] ?? noPayments) : ways.flat(),
      ...(isOwn ? {} : { returnedTaint }),
    };
  }

  /** The pools of others than the payee, and what others had paid for him. */
  #lenders(service: string, payee: string, tx: string): Pool[] {
    const linked = this.#links.customers.get(this.#index);
    const customers = [...this.#vaults.customersOf(tx, service), ...(linked === undefined ? [] : [linked])];
    return [...new Set([...customers, payee])].flatMap((customer) => [
      ...present(this.#inVaults.get(customer)),
      ...(customer === payee ? [] : present(this.#atServices.get(customer))),
    ]);
  }

  /** No source pays here, so the money went at least one step. */
  #unread(usd: number): Taint {
    return wholly(this.#tags, this.#tags.unread, usd, attribution.first_step);
  }

  #fromWallet({ usd, at }: Payment, { probableService, business, unreadShare }: Wallet): Taint {
    const pool = this.#walletOf(this.#payer);
    const passThrough = pool.isPassThrough(at);
    const taint = pool.draw(usd);
    weaken(taint, passThrough);
    limitToReceived(taint, { received: pool.illicitReceived, passedOn: pool.passedOn });
    pool.addPassedOn(illicitMass(taint));
    if (unreadShare > 0) {
      scaleBy(taint, 1 - unreadShare);
      addTo(taint, this.#unread(usd * unreadShare));
    }
    if (probableService) behindProbableService(taint, this.#tags, business);
    return taint;
  }

  #walletOf(party: number): Pool {
    return (this.#pools[party] ??= new Pool(this.#tags, this.#rule));
  }

  #poolOf(pools: Map<string, Pool>, address: string): Pool {
    const known = pools.get(address);
    if (known !== undefined) return known;
    const pool = new Pool(this.#tags, this.#rule);
    pools.set(address, pool);
    return pool;
  }
}

function present(pool: Pool | undefined): Pool[] {
  return pool === undefined ? [] : [pool];
}
