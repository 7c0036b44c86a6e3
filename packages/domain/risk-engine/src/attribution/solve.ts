import { attribution } from '../weights.ts';
import type { Rule } from './holding.ts';
import { type Links, linksOf } from './links.ts';
import type { Payment } from './payment.ts';
import { Pool } from './pool.ts';
import { amongStrangers, behindProbableService, limitToReceived, weaken } from './step.ts';
import { addTo, clean, illicitMass, scaleBy, type Tags, type Taint, taintedUsd, wholly } from './taint.ts';
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
  /** Direct, in a CoinJoin that mostly strangers signed: it weighs so, and is no contact with the source. */
  readonly mixed?: true;
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
  /** USD that a payer has at one service, by both. */
  readonly #ownAt = new Map<string, number>();
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
    return isMixed && carried.direct ? { ...carried, mixed: true } : carried;
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
    if (holder === payer) this.#changeOwnAt(payer, payee, payment.usd * kept);
  }

  #changeOwnAt(customer: string, service: string, usd: number): void {
    const key = keyOf(customer, service);
    this.#ownAt.set(key, Math.max((this.#ownAt.get(key) ?? 0) + usd, 0));
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
    if (payer.kind === 'source') return this.#fromSource(payment, payer.tag);
    if (payee.kind === 'source') {
      this.#walletOf(this.#payer).draw(payment.usd);
      return this.#clean;
    }
    const linked = this.#links.paidBy.get(this.#index);
    const paidBy = linked === undefined ? noPayments : linked.filter((index) => index < this.#index);
    if (payer.kind === 'service') return this.#fromService(payment, paidBy);
    if (paidBy.length === 0) return this.#traced(this.#own(payment, payer));
    const passed = this.#linked(payment.usd, paidBy);
    // Anybody can be given a worthless coin in the transaction in which he pays: the worse of both counts.
    const own = this.#links.uncertain.has(this.#index) ? this.#own(payment, payer) : undefined;
    if (own !== undefined && taintedUsd(own) > taintedUsd(passed)) return this.#traced(own);
    return { ...this.#traced(passed), paidBy };
  }

  /** A signer of a CoinJoin pays each of its outputs, also those that strangers chose. */
  #fromSource({ payer, usd, movement }: Payment, tag: number): Carried {
    if (movement.coin_join === true && payer === movement.to) return this.#traced(wholly(this.#tags, tag, usd, attribution.first_step));
    return { taint: wholly(this.#tags, tag, usd), direct: true, returned: 0, paidBy: noPayments };
  }

  /** Paid from what the payer had before. */
  #own(payment: Payment, payer: Wallet | { readonly kind: 'unread' }): Taint {
    if (payer.kind === 'unread' || payment.at > payer.readUntil) return this.#unread(payment.usd);
    return this.#fromWallet(payment, payer);
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
    let returned = 0;
    const taint = this.#linked(usd * share, paidBy);
    const returnedTaint = clean(this.#tags);
    const own = this.#atServices.get(payee);
    const drawnFrom = new Set<Pool>();
    for (const { customer, pool, most } of this.#lenders(payer, payee, movement.tx)) {
      const drawn = Math.min(rest, pool.balance, most);
      if (drawn === 0) continue;
      const more = pool.draw(drawn);
      if (pool === own) {
        returned += drawn;
        addTo(returnedTaint, more);
      } else weaken(more, true);
      addTo(taint, more);
      drawnFrom.add(pool);
      rest -= drawn;
      this.#changeOwnAt(customer, payer, -drawn);
    }
    const ways = [...(share > 0 ? [paidBy] : []), ...[...drawnFrom].map((pool) => this.#deposits.get(pool) ?? noPayments)];
    if (ways.length === 0) return this.#clean;
    const isOwn = ways.length === 1 && returned > 0;
    return {
      taint,
      direct: false,
      returned,
      paidBy: ways.length === 1 ? (ways[0] ?? noPayments) : ways.flat(),
      ...(isOwn ? {} : { returnedTaint }),
    };
  }

  /**
   * Pools that a service pays out of: those of other customers whose shares the payee gave back or who paid for him, then the payee's own. If
   * the payee gave back shares, what he paid in himself comes before all, because anybody can send him a share.
   */
  #lenders(service: string, payee: string, tx: string): Lender[] {
    const linked = this.#links.customers.get(this.#index);
    const holders = this.#vaults.customersOf(tx, service);
    const customers = new Set([...holders, ...(linked === undefined ? [] : [linked]), payee]);
    const own = lender(payee, this.#atServices.get(payee));
    return [
      ...(holders.includes(payee) ? own.map((one) => ({ ...one, most: this.#ownAt.get(keyOf(payee, service)) ?? 0 })) : []),
      ...[...customers].flatMap((customer) => [
        ...lender(customer, this.#inVaults.get(customer)),
        ...(customer === payee ? [] : lender(customer, this.#atServices.get(customer))),
      ]),
      ...own,
    ];
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

interface Lender {
  readonly customer: string;
  readonly pool: Pool;
  /** USD. */
  readonly most: number;
}

function lender(customer: string, pool: Pool | undefined): Lender[] {
  return pool === undefined ? [] : [{ customer, pool, most: Infinity }];
}

function keyOf(customer: string, service: string): string {
  return `${customer}\n${service}`;
}
