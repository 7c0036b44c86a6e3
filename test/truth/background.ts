import type { Scenario } from './movements.ts';
import type { Story } from './story.ts';

/** A laundered theft: expert-traced or generated. */
export interface Theft extends Scenario {
  readonly name: string;
  /** To be found. */
  readonly launderers: readonly string[];
  /** Too simple for a mean: every method finds its launderers. */
  readonly isSimple?: boolean;
}

/** A theft among people who have no part in it. */
export interface World extends Theft {
  readonly benign: readonly string[];
  /** The benign whom a launderer paid real money. */
  readonly paid: ReadonlySet<string>;
}

/** Clean money that launderers mix with the stolen: the part of them who have any, from before the theft or just after they got their part. */
export interface OwnMoney {
  readonly part: number;
  readonly when: 'before' | 'after';
}

export interface Background {
  readonly people: number;
  readonly exchanges: number;
  /** Payments of each person: least and most. */
  readonly payments: readonly [number, number];
  readonly median: number;
  readonly sigma: number;
  /** Parts of the people. */
  readonly dusted: number;
  readonly paid: number;
  readonly ownMoney: OwnMoney;
}

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** People who deal with exchanges and with each other during the theft; some of them get money of launderers. Synthetic. */
export function worldOf(theft: Theft, background: Background, story: Story): World {
  const { ownMoney } = background;
  const times = theft.movements.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times) + 30 * dayMs];
  const exchanges = Array.from({ length: background.exchanges }, () => story.labelled('exchange'));
  const benign = Array.from({ length: background.people }, () => story.wallet('person'));
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(story.random() * items.length)] as Item;
  const usd = (): number => story.amount(background.median, background.sigma);
  const pay = (from: string, to: string, value: number, at: number): void => story.together([[from, to, value, 'ETH']], Math.floor(at));
  const fundsOf = incomeOf(theft);
  const paid = new Set<string>();
  for (const person of benign) {
    for (let index = story.whole(...background.payments); index > 0; index--) {
      const at = story.between(first, last);
      const kind = story.random();
      if (kind < 0.5) pay(pick(exchanges), person, usd(), at);
      else if (kind < 0.75) pay(person, pick(exchanges), usd(), at);
      else pay(person, pick(benign), usd(), at);
    }
    const kind = story.random();
    const launderer = pick(theft.launderers);
    const funds = fundsOf.get(launderer);
    if (funds === undefined || kind >= background.dusted + background.paid) continue;
    const real = kind >= background.dusted;
    if (real) paid.add(person);
    pay(launderer, person, real ? Math.min(usd() * 3, funds.usd / 2) : 0.5, funds.last + story.between(0, 3 * dayMs));
  }
  for (const launderer of theft.launderers) {
    if (story.random() >= ownMoney.part) continue;
    const before = first - story.between(0, 90 * dayMs);
    pay(pick(exchanges), launderer, usd() * 10, ownMoney.when === 'before' ? before : (fundsOf.get(launderer)?.first ?? first) + minuteMs);
  }
  const { movements, labels } = story.end();
  return { ...theft, movements: [...theft.movements, ...movements], labels: [...theft.labels, ...labels], benign, paid };
}

function incomeOf({ movements }: Scenario): Map<string, { usd: number; first: number; last: number }> {
  const income = new Map<string, { usd: number; first: number; last: number }>();
  for (const { to, usd, at } of movements) {
    const before = income.get(to) ?? { usd: 0, first: at, last: at };
    income.set(to, { usd: before.usd + (usd ?? 0), first: Math.min(before.first, at), last: Math.max(before.last, at) });
  }
  return income;
}
