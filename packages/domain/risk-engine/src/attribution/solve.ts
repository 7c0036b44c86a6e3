import { attribution } from '../weights.ts';
import type { Rule } from './holding.ts';
import { type Links, linksOf } from './links.ts';
import type { Payment } from './payment.ts';
import { Pool } from './pool.ts';
import { amongStrangers, behindProbableService, limitToReceived, weaken } from './step.ts';
import { addTo, clean, illicitMass, scaleBy, type Tags, type Taint, wholly } from './taint.ts';

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

export interface Carried {
  readonly taint: Taint;
  /** Paid by a source; otherwise traced. */
  readonly direct: boolean;
  /** USD of the payee's own old money, back from services. */
  readonly returned: number;
  /** The payments of the same transaction, by index, that paid for it. Empty: the payer's pool did. */
  readonly paidBy: readonly number[];
}

/** By payment, in their order: the money's past. `step.ts` has what each step takes. */
export function solve(payments: readonly Payment[], roleOf: (address: string) => Role, tags: Tags, rule: Rule): Carried[] {
  const coinJoins = Map.groupBy(
    payments.filter(({ movement }) => movement.coin_join === true),
    ({ movement }) => movement.tx,
  );
  const solver = new Solver({ roleOf, tags, rule, links: linksOf(payments, roleOf), coinJoins });
  return payments.map((payment) => solver.next(payment));
}

interface Done {
  readonly usd: number;
  readonly carried: Carried;
}

interface Setup {
  readonly roleOf: (address: string) => Role;
  readonly tags: Tags;
  readonly rule: Rule;
  readonly links: Links;
  readonly coinJoins: ReadonlyMap<string, readonly Payment[]>;
}

class Solver {
  readonly #roleOf: (address: string) => Role;
  readonly #tags: Tags;
  readonly #rule: Rule;
  readonly #pools = new Map<string, Pool>();
  /** The same for the money that an address has at services. */
  readonly #atServices = new Map<string, Pool>();
  readonly #clean: Carried;
  readonly #links: Links;
  readonly #done: Done[] = [];
  /** Payments by transaction, and whether mostly strangers signed it. */
  readonly #coinJoins: ReadonlyMap<string, readonly Payment[]>;
  readonly #mixed = new Map<string, boolean>();

  constructor({ roleOf, tags, rule, links, coinJoins }: Setup) {
    this.#coinJoins = coinJoins;
    this.#roleOf = roleOf;
    this.#tags = tags;
    this.#rule = rule;
    this.#links = links;
    this.#clean = { taint: clean(tags), direct: false, returned: 0, paidBy: [] };
  }

  next(payment: Payment): Carried {
    const payee = this.#roleOf(payment.payee);
    const isMixed = this.#isMixed(payment);
    const carried = this.#carry(payment, payee);
    if (isMixed) amongStrangers(carried.taint);
    const kept = 1 - (this.#links.passed.get(this.#done.length) ?? 0);
    if (payee.kind === 'wallet') this.#poolOf(this.#pools, payment.payee).receive(payment, carried.taint, kept);
    if (payee.kind === 'service') this.#poolOf(this.#atServices, payment.payer).receive(payment, carried.taint, kept);
    this.#done.push({ usd: payment.usd, carried });
    return carried;
  }

  /** Decided at the transaction's first payment, before it changes the payers' balances. */
  #isMixed({ movement: { tx } }: Payment): boolean {
    const payments = this.#coinJoins.get(tx);
    if (payments === undefined) return false;
    const known = this.#mixed.get(tx);
    if (known !== undefined) return known;
    const all = payments.reduce((sum, { usd }) => sum + usd, 0);
    const tainted = payments.reduce((sum, payment) => sum + payment.usd * this.#taintedShare(payment), 0);
    const isMixed = tainted < all * attribution.coin_join_own_part;
    this.#mixed.set(tx, isMixed);
    return isMixed;
  }

  #taintedShare({ payer, at }: Payment): number {
    const role = this.#roleOf(payer);
    if (role.kind === 'service') return 0;
    if (role.kind !== 'wallet' || at > role.readUntil) return 1;
    return Math.max(this.#pools.get(payer)?.taintedShare ?? 0, role.unreadShare);
  }

  #carry(payment: Payment, payee: Role): Carried {
    const payer = this.#roleOf(payment.payer);
    if (payer.kind === 'source') return { taint: wholly(this.#tags, payer.tag, payment.usd), direct: true, returned: 0, paidBy: [] };
    if (payee.kind === 'source') {
      this.#poolOf(this.#pools, payment.payer).draw(payment.usd);
      return this.#clean;
    }
    const paidBy = (this.#links.paidBy.get(this.#done.length) ?? []).filter((index) => index < this.#done.length);
    if (paidBy.length > 0) return { ...this.#traced(this.#linked(payment.usd, paidBy)), paidBy };
    if (payer.kind === 'service') return this.#fromService(payment);
    if (payer.kind === 'unread' || payment.at > payer.readUntil) return this.#traced(this.#unread(payment.usd));
    return this.#traced(this.#fromWallet(payment, payer));
  }

  #traced(taint: Taint): Carried {
    return { taint, direct: false, returned: 0, paidBy: [] };
  }

  /** As the payments that paid for it. Those that came later in the transaction are not known yet. */
  #linked(usd: number, paidBy: readonly number[]): Taint {
    const payments = paidBy.flatMap((index) => this.#done[index] ?? []);
    const paid = payments.reduce((sum, one) => sum + one.usd, 0);
    const taint = clean(this.#tags);
    for (const { carried } of payments) addTo(taint, carried.taint, paid > 0 ? usd / paid : 0);
    weaken(taint, true);
    return taint;
  }

  #fromService({ payee, usd }: Payment): Carried {
    const own = this.#atServices.get(payee);
    if (own === undefined || own.balance === 0) return this.#clean;
    const returned = Math.min(usd, own.balance);
    return { taint: own.draw(returned), direct: false, returned, paidBy: [] };
  }

  /** No source pays here, so the money went at least one step. */
  #unread(usd: number): Taint {
    return wholly(this.#tags, this.#tags.unread, usd, attribution.first_step);
  }

  #fromWallet({ payer, usd, at }: Payment, { probableService, business, unreadShare }: Wallet): Taint {
    const pool = this.#poolOf(this.#pools, payer);
    const passThrough = pool.isPassThrough(at);
    const taint = pool.draw(usd);
    weaken(taint, passThrough);
    limitToReceived(taint, this.#tags, { received: pool.illicitReceived, passedOn: pool.passedOn });
    pool.addPassedOn(illicitMass(taint, this.#tags));
    if (unreadShare > 0) {
      scaleBy(taint, 1 - unreadShare);
      addTo(taint, this.#unread(usd * unreadShare));
    }
    if (probableService) behindProbableService(taint, this.#tags, business);
    return taint;
  }

  #poolOf(pools: Map<string, Pool>, address: string): Pool {
    const known = pools.get(address);
    if (known !== undefined) return known;
    const pool = new Pool(this.#tags, this.#rule);
    pools.set(address, pool);
    return pool;
  }
}
