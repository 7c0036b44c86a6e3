import type { Theft } from './background.ts';
import type { Story } from './story.ts';

export interface Laundering {
  /** USD. */
  readonly loot: number;
  /** Payments of the thief. */
  readonly first: number;
  /** Parts below this are cashed in at an exchange, USD. */
  readonly cashBelow: number;
  readonly mostWallets: number;
  /** How often a wallet does each; the rest passes all on to a new wallet. */
  readonly split: number;
  readonly peel: number;
  /** Only wallets with at most a tenth of the loot, so that one swap does not hide most of it. */
  readonly swap: number;
  readonly collect: number;
}

interface Part {
  readonly wallet: string;
  readonly usd: number;
}

/** A theft spread over new wallets, each of which splits, peels, swaps, pays a collector or passes on, until exchanges are paid. */
export function generatedTheft(name: string, laundering: Laundering, story: Story): Theft {
  const plan = new Plan(laundering, story);
  plan.start();
  while (plan.step());
  return { ...story.end(), name, launderers: plan.wallets };
}

class Plan {
  readonly wallets: string[] = [];
  private readonly open: Part[] = [];
  private readonly laundering: Laundering;
  private readonly story: Story;
  private readonly cashiers: readonly string[];
  private readonly router: string;

  constructor(laundering: Laundering, story: Story) {
    this.laundering = laundering;
    this.story = story;
    this.cashiers = [0, 1, 2].map(() => story.labelled('exchange'));
    this.router = story.labelled('defi');
  }

  start(): void {
    const { loot, first } = this.laundering;
    const thief = this.story.labelled('theft');
    for (const part of this.parts(loot, first)) this.hand(thief, part);
  }

  /** False when all is cashed in. */
  step(): boolean {
    const part = this.open.shift();
    if (part === undefined) return false;
    const { cashBelow, mostWallets } = this.laundering;
    if (part.usd < cashBelow || this.wallets.length >= mostWallets) this.cash(part);
    else this.launder(part);
    return true;
  }

  private launder({ wallet, usd }: Part): void {
    const { split, peel, swap, collect } = this.laundering;
    const kind = this.story.random();
    const collector = this.open.at(-1);
    if (kind < split) {
      for (const part of this.parts(usd, this.story.whole(2, 5))) this.hand(wallet, part);
    } else if (kind < split + peel) {
      const peeled = usd * this.story.between(0.02, 0.15);
      this.story.pay(wallet, this.cashier(), peeled);
      this.hand(wallet, usd - peeled);
    } else if (kind < split + peel + swap) {
      if (usd > this.laundering.loot / 10) this.hand(wallet, usd);
      else this.swap(wallet, usd);
    } else if (kind < split + peel + swap + collect && collector !== undefined) {
      this.story.pay(wallet, collector.wallet, usd);
      this.open[this.open.length - 1] = { ...collector, usd: collector.usd + usd };
    } else {
      this.hand(wallet, usd);
    }
  }

  private hand(payer: string, usd: number): void {
    const wallet = this.add(usd);
    this.story.pay(payer, wallet, usd);
  }

  private swap(payer: string, usd: number): void {
    const wallet = this.add(usd * 0.997);
    this.story.pass(this.story.between(1, 20));
    this.story.together([
      [payer, this.router, usd, 'ETH'],
      [this.router, wallet, usd * 0.997, 'USDT'],
    ]);
  }

  private add(usd: number): string {
    const wallet = this.story.wallet('launderer');
    this.wallets.push(wallet);
    this.open.push({ wallet, usd });
    return wallet;
  }

  private cash({ wallet, usd }: Part): void {
    this.story.pay(wallet, this.cashier(), usd);
  }

  private cashier(): string {
    return this.cashiers[this.story.whole(0, 2)] ?? '';
  }

  private parts(usd: number, count: number): number[] {
    const weights = Array.from({ length: count }, () => this.story.between(0.2, 1));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => (usd * weight) / total);
  }
}
