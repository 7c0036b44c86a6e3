import type { Holding } from './holding.ts';
import { addTo, clean, type Tags, type Taint, taintedUsd } from './taint.ts';

interface Lot {
  /** Of the payment that brought it. */
  readonly usd: number;
  readonly taint: Taint;
  /** USD not taken yet. */
  left: number;
}

/** FIFO or LIFO: each payment that came in is a lot, and lots leave in the order of their arrival or against it. */
export class Lots implements Holding {
  readonly #rule: 'fifo' | 'lifo';
  readonly #tags: Tags;
  readonly #lots: Lot[] = [];
  /** FIFO: those before it are taken. */
  #first = 0;

  constructor(rule: 'fifo' | 'lifo', tags: Tags) {
    this.#rule = rule;
    this.#tags = tags;
  }

  get tainted(): number {
    return this.#lots.reduce((sum, { usd, taint, left }) => sum + (left / usd) * taintedUsd(taint), 0);
  }

  add(usd: number, taint: Taint, share: number): void {
    if (usd * share > 0) this.#lots.push({ usd, taint, left: usd * share });
  }

  take(usd: number): Taint {
    const taken = clean(this.#tags);
    for (let missing = usd, lot = this.#next(); missing > 0 && lot !== undefined; lot = this.#next()) {
      const part = Math.min(missing, lot.left);
      addTo(taken, lot.taint, part / lot.usd);
      missing -= part;
      lot.left -= part;
      if (lot.left <= 0) this.#drop();
    }
    return taken;
  }

  #next(): Lot | undefined {
    return this.#rule === 'fifo' ? this.#lots[this.#first] : this.#lots.at(-1);
  }

  #drop(): void {
    if (this.#rule === 'fifo') this.#first++;
    else this.#lots.pop();
  }
}
