import { attribution } from '../weights.ts';
import type { Payment } from './payment.ts';
import { addTo, clean, illicitMass, scaleBy, type Tags, type Taint } from './taint.ts';

const passThroughMs = attribution.pass_through_days * 86_400_000;

/** The money of one address. */
export class Pool {
  readonly #tags: Tags;
  readonly #held: Taint;
  readonly #received: Taint;
  readonly #payers = new Set<string>();
  #balance = 0;
  #receivedUsd = 0;
  #passedOn = 0;
  #lastReceived = -Infinity;

  constructor(tags: Tags) {
    this.#tags = tags;
    this.#held = clean(tags);
    this.#received = clean(tags);
  }

  get balance(): number {
    return this.#balance;
  }

  /** Known illicit money received so far. */
  get illicitReceived(): number {
    return illicitMass(this.#received, this.#tags);
  }

  /** Illicit or not read, of the balance; 0 to 1. */
  get taintedShare(): number {
    return this.#balance > 0 ? Math.min(this.#held.mass.reduce((sum, usd) => sum + usd, 0) / this.#balance, 1) : 0;
  }

  get passedOn(): number {
    return this.#passedOn;
  }

  /** `share`: the part of the payment that stays. */
  receive({ payer, at, usd }: Payment, taint: Taint, share = 1): void {
    this.#balance += usd * share;
    this.#receivedUsd += usd * share;
    addTo(this.#held, taint, share);
    addTo(this.#received, taint, share);
    this.#payers.add(payer);
    this.#lastReceived = at;
  }

  /** In proportion to the balance. Money beyond it arrived unrecorded, and is taken to be like all that is known to have arrived. */
  draw(usd: number): Taint {
    const taint = clean(this.#tags);
    const used = Math.min(usd, this.#balance);
    const share = this.#balance > 0 ? used / this.#balance : 0;
    addTo(taint, this.#held, share);
    if (this.#receivedUsd > 0) addTo(taint, this.#received, (usd - used) / this.#receivedUsd);
    scaleBy(this.#held, 1 - share);
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
