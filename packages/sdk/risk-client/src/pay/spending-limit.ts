import type { Claim, Spending } from './types.ts';

/** Tolerance for clock differences and late Solana blocks. */
const marginMs = 30_000;

/** Counts settled and possibly charged payments against the cap. Exact: whole micro-USDC. */
export class SpendingLimit {
  readonly #cap: bigint;
  readonly #now: () => number;
  #settled = 0n;
  readonly #seen = new Set<string>();
  /** Signed payments that are not known to be charged, by id. `until`: no chain accepts it from then on; null: outcome open. */
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

  /** Reserves the amount before signing; false beyond the cap. */
  reserve(paymentId: string, amount: bigint): boolean {
    if (amount > this.spending().left) return false;
    this.#open.set(paymentId, { amount, until: null });
    return true;
  }

  /** Counts a payment that was signed earlier, even beyond the cap. */
  adopt({ paymentId, amount }: Claim): void {
    if (this.#seen.has(paymentId)) return;
    this.#open.set(paymentId, { amount: BigInt(amount), until: null });
  }

  /** For a payment never signed or never sent. */
  release(paymentId: string): void {
    this.#open.delete(paymentId);
  }

  settle({ paymentId, amount }: Claim): void {
    this.#open.delete(paymentId);
    if (this.#seen.has(paymentId)) return;
    this.#seen.add(paymentId);
    this.#settled += BigInt(amount);
  }

  /** The API denies a charge, but until it expires somebody could still charge it. */
  refused({ paymentId, amount, validUntilMs }: Claim): void {
    this.#open.set(paymentId, { amount: BigInt(amount), until: validUntilMs + marginMs });
  }

  isExpired({ validUntilMs }: Claim): boolean {
    return this.#now() >= validUntilMs + marginMs;
  }
}
