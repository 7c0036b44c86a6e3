import type { Payment } from './payment.ts';
import { type Sums, type Taint, usdAt, zeros } from './taint.ts';

/**
 * The illicit money that a subject paid to others and may get back, in USD by kind of source. Who returns clean money in stolen coins
 * returns nothing of it, and what the subject was not known to hold it cannot have lent.
 */
export class LentMoney {
  readonly #held: Sums;
  readonly #byPayee = new Map<string, Map<number, number>>();

  constructor(kindsOfSource: number) {
    this.#held = zeros(kindsOfSource);
  }

  /** A payment by the subject. One of unknown value may be worth nothing. */
  pay({ payee, movement }: Payment, taint: Taint): void {
    if (movement.usd === null) return;
    const { has } = taint;
    for (let place = 0; place < has.kinds; place++) {
      const tag = has.tags[place] as number;
      const held = this.#held[tag] ?? 0;
      const usd = Math.min(usdAt(taint, 'counted', place), held);
      if (usd === 0) continue;
      this.#held[tag] = held - usd;
      const lent = this.#byPayee.get(payee) ?? new Map<number, number>();
      this.#byPayee.set(payee, lent);
      lent.set(tag, (lent.get(tag) ?? 0) + usd);
    }
  }

  /** A payment to the subject. Returns what of it came back, in the order of its taint. */
  receive({ payer }: Payment, taint: Taint): Sums {
    const { has } = taint;
    const lent = this.#byPayee.get(payer);
    const cameBack = zeros(has.kinds);
    for (let place = 0; place < has.kinds; place++) {
      const tag = has.tags[place] as number;
      const usd = usdAt(taint, 'counted', place);
      this.#held[tag] = (this.#held[tag] ?? 0) + usd;
      const back = Math.min(lent?.get(tag) ?? 0, usd);
      if (back === 0) continue;
      lent?.set(tag, (lent.get(tag) ?? 0) - back);
      cameBack[place] = back;
    }
    return cameBack;
  }
}
