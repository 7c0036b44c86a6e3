import type { Holding } from './holding.ts';
import { addTo, clean, scaleBy, type Tags, type Taint, taintedUsd } from './taint.ts';

/** Haircut: each payment takes its part of all the money. */
export class Mixture implements Holding {
  readonly #tags: Tags;
  readonly #held: Taint;

  constructor(tags: Tags) {
    this.#tags = tags;
    this.#held = clean(tags);
  }

  get tainted(): number {
    return taintedUsd(this.#held);
  }

  add(_usd: number, taint: Taint, share: number): void {
    addTo(this.#held, taint, share);
  }

  take(usd: number, balance: number): Taint {
    const taken = clean(this.#tags);
    const share = balance > 0 ? usd / balance : 0;
    addTo(taken, this.#held, share);
    scaleBy(this.#held, 1 - share);
    return taken;
  }
}
