import { attribution } from '../weights.ts';
import type { Holding, Rule } from './holding.ts';
import { Lots } from './lots.ts';
import { Mixture } from './mixture.ts';
import type { Payment } from './payment.ts';
import { addTo, clean, illicitMass, type Tags, type Taint } from './taint.ts';

const passThroughMs = attribution.pass_through_days * 86_400_000;

/** The money of one address. */
export class Pool {
  readonly #held: Holding;
  readonly #received: Taint;
  /** No more than tell whether they are few. */
  readonly #payers = new Set<string>();
  #balance = 0;
  #receivedUsd = 0;
  #passedOn = 0;
  #lastReceived = -Infinity;

  constructor(tags: Tags, rule: Rule) {
    this.#held = rule === 'haircut' ? new Mixture(tags) : new Lots(rule, tags);
    this.#received = clean(tags);
  }

  get balance(): number {
    return this.#balance;
  }

  /** Known illicit money received so far. */
  get illicitReceived(): number {
    return illicitMass(this.#received);
  }

  /** Illicit or not read, of the balance; 0 to 1. */
  get taintedShare(): number {
    return this.#balance > 0 ? Math.min(this.#held.tainted / this.#balance, 1) : 0;
  }

  get passedOn(): number {
    return this.#passedOn;
  }

  /** `share`: the part of the payment that stays. */
  receive({ payer, at, usd }: Payment, taint: Taint, share = 1): void {
    this.#balance += usd * share;
    this.#receivedUsd += usd * share;
    this.#held.add(usd, taint, share);
    addTo(this.#received, taint, share);
    if (this.#payers.size <= attribution.pass_through_payers) this.#payers.add(payer);
    this.#lastReceived = at;
  }

  /** Money beyond the balance arrived unrecorded, and is taken to be like all that is known to have arrived. */
  draw(usd: number): Taint {
    const used = Math.min(usd, this.#balance);
    const taint = this.#held.take(used, this.#balance);
    if (usd > used && this.#receivedUsd > 0) addTo(taint, this.#received, (usd - used) / this.#receivedUsd);
    this.#balance -= used;
    return taint;
  }

  addPassedOn(usd: number): void {
    this.#passedOn += usd;
  }

  /** Few payers, and soon out again. */
  isPassThrough(at: number): boolean {
    return this.#payers.size <= attribution.pass_through_payers && at - this.#lastReceived <= passThroughMs;
  }
}
