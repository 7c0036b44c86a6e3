import type { Payment } from './payment.ts';
import { type Sums, type Taint, zeros } from './taint.ts';

/**
 * The illicit money that a subject paid to others and may get back, in USD by kind of source. Who returns clean money in stolen coins
 * returns nothing of it, and what the subject was not known to hold it cannot have lent.
 */
export class LentMoney {
  readonly #held: Sums;
  readonly #byPayee = new Map<string, Sums>();

  constructor(kindsOfSource: number) {
    this.#held = zeros(kindsOfSource);
  }

  /** A payment by the subject. One of unknown value may be worth nothing. */
  pay({ payee, movement }: Payment, { counted }: Taint): void {
    if (movement.usd === null) return;
    const lent = this.#byPayee.get(payee) ?? zeros(this.#held.length);
    this.#byPayee.set(payee, lent);
    this.#held.forEach((held, tag) => {
      const usd = Math.min(counted[tag] ?? 0, held);
      this.#held[tag] = held - usd;
      lent[tag] = (lent[tag] ?? 0) + usd;
    });
  }

  /** A payment to the subject. Returns what of it came back. */
  receive({ payer }: Payment, { counted }: Taint): Sums {
    const lent = this.#byPayee.get(payer);
    return this.#held.map((held, tag) => {
      const usd = counted[tag] ?? 0;
      this.#held[tag] = held + usd;
      const back = Math.min(lent?.[tag] ?? 0, usd);
      if (lent !== undefined) lent[tag] = (lent[tag] ?? 0) - back;
      return back;
    });
  }
}
