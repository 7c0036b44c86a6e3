import type { Claim, Spending } from './types.ts';

/** A node's clock and ours may differ by this much; a Solana block may be that late. */
const marginMs = 30_000;

/** Counts against the cap what was spent and what may have been. Exact: whole micro-USDC. */
export class Purse {
  readonly #cap: bigint;
  readonly #now: () => number;
  #settled = 0n;
  readonly #seen = new Set<string>();
  /** Amounts by payment id that are signed and not known to be charged. `until`: no chain takes it from then on; null: the outcome is open. */
  readonly #open = new Map<string, { readonly amount: bigint; readonly until: number | null }>();

  constructor(cap: bigint, now: () => number) {
    this.#cap = cap;
    this.#now = now;
  }

  spending(): Spending {
    const now = this.#now();
    for (const [id, { until }] of this.#open) if (until !== null && now >= until) this.#open.delete(id);
    const open = [...this.#open.values()].reduce((sum, { amount }) => sum + amount, 0n);
    const left = this.#cap - this.#settled - open;
    return { settled: this.#settled, open, left: left > 0n ? left : 0n };
  }

  /** Takes the amount for a payment that will be signed; false when so much is not left. */
  reserve(paymentId: string, amount: bigint): boolean {
    if (amount > this.spending().left) return false;
    this.#open.set(paymentId, { amount, until: null });
    return true;
  }

  /** Counts what was signed before, by whomever; that it is over the cap cannot be helped. */
  adopt({ paymentId, amount }: Claim): void {
    if (this.#seen.has(paymentId)) return;
    this.#open.set(paymentId, { amount: BigInt(amount), until: null });
  }

  /** It was never signed, or never sent. */
  release(paymentId: string): void {
    this.#open.delete(paymentId);
  }

  settle({ paymentId, amount }: Claim): void {
    this.#open.delete(paymentId);
    if (this.#seen.has(paymentId)) return;
    this.#seen.add(paymentId);
    this.#settled += BigInt(amount);
  }

  /** The API says that it is not charged; until it has expired somebody could. */
  refused({ paymentId, amount, validUntilMs }: Claim): void {
    this.#open.set(paymentId, { amount: BigInt(amount), until: validUntilMs + marginMs });
  }

  isExpired({ validUntilMs }: Claim): boolean {
    return this.#now() >= validUntilMs + marginMs;
  }
}
