import type { Payment } from './payment.ts';

/** What a subject lost to sources, in USD by entity, and may get back from them later. */
export class Losses {
  readonly #entityOf: (address: string) => string | undefined;
  readonly #lost = new Map<string, number>();

  /** `entityOf`: undefined for others than sources, empty for a source without a name of its own. */
  constructor(entityOf: (address: string) => string | undefined) {
    this.#entityOf = entityOf;
  }

  /** A payment by the subject. One of unknown value may be worth nothing. */
  pay({ payee, movement }: Payment): void {
    const key = this.#keyOf(payee);
    if (key !== undefined) this.#lost.set(key, (this.#lost.get(key) ?? 0) + (movement.usd ?? 0));
  }

  /** A payment to the subject. Returns what of it is paid back. */
  receive({ payer, movement }: Payment): number {
    const key = this.#keyOf(payer);
    if (key === undefined) return 0;
    const lost = this.#lost.get(key) ?? 0;
    const back = Math.min(lost, movement.usd ?? 0);
    this.#lost.set(key, lost - back);
    return back;
  }

  #keyOf(address: string): string | undefined {
    const entity = this.#entityOf(address);
    return entity === '' ? `address ${address}` : entity && `entity ${entity}`;
  }
}
