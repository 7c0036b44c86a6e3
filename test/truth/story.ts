import { seededRandom } from '../support/stack/random.ts';
import type { AddressLabel, Scenario, Transfer } from './movements.ts';

const hourMs = 3_600_000;
const startMs = Date.UTC(2025, 0, 1);

export type Leg = readonly [from: string, to: string, usd: number | null, coin: string];

/** Writes a scenario from its seed, payment after payment. */
export class Story {
  readonly random: () => number;
  readonly movements: Transfer[] = [];
  readonly labels: AddressLabel[] = [];
  readonly coSpends: (readonly string[])[] = [];
  at = startMs;
  private readonly prefix: string;
  private named = 0;
  private transactions = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.prefix = `s${seed}`;
  }

  wallet(name = 'wallet'): string {
    this.named += 1;
    return `${this.prefix}-${name}-${this.named}`;
  }

  labelled(category: string, label: Partial<AddressLabel> = {}): string {
    const address = label.address ?? this.wallet(category);
    this.labels.push({ address, name: `${category} ${address}`, category, confidence: 1, source: 'curated', ...label });
    return address;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.random();
  }

  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** Log-normal, so that a few are much larger than the rest. */
  amount(median: number, sigma = 1): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
    return Math.max(Math.round(median * Math.exp(sigma * normal) * 100) / 100, 0.01);
  }

  pass(hours: number): void {
    this.at += hours * hourMs;
  }

  /** Some minutes to two days after the last one. */
  pay(from: string, to: string, usd: number, coin = 'ETH'): void {
    this.pass(this.between(0.1, 48));
    this.together([[from, to, usd, coin]]);
  }

  /** A token without a price. */
  airdrop(from: string, to: string): void {
    this.pass(this.between(0.1, 48));
    this.together([[from, to, null, 'FREE']]);
  }

  /** One transaction of Bitcoin that all payers sign; each bears the same part. */
  payTogether(payers: readonly string[], payees: readonly string[], usd: number): void {
    this.pass(this.between(0.1, 48));
    this.coSpends.push(payers);
    const part = usd / payers.length / payees.length;
    this.together(payees.flatMap((payee) => payers.map((payer) => [payer, payee, part, 'BTC'] as const)));
  }

  /** In one transaction. */
  together(legs: readonly Leg[], at = this.at): void {
    this.write(legs, at);
  }

  /** Likewise, signed by strangers. */
  coinJoin(legs: readonly Leg[]): void {
    this.write(legs, this.at, { coin_join: true });
  }

  private write(legs: readonly Leg[], at: number, mix: Pick<Transfer, 'coin_join'> = {}): void {
    this.transactions += 1;
    const tx = `${this.prefix}-tx-${this.transactions}`;
    legs.forEach(([from, to, usd, coin], position) => this.movements.push({ at, tx, position, from, to, usd, coin, ...mix }));
  }

  end(chain = 'ethereum'): Scenario {
    return { chain, movements: this.movements, labels: this.labels, co_spends: this.coSpends };
  }
}
