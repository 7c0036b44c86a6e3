import { describe, expect, it } from 'vitest';
import { label, type Named, scored } from '../graph.testing.ts';
import { hour, move } from '../movement.testing.ts';
import type { Movement } from '../store.ts';

const labels: Named = {
  thief: label('theft'),
  exchange: label('exchange'),
  router: label('defi'),
  'listed router': label('exchange', 'Some DEX'),
};

type Legs = readonly (readonly [from: string, to: string, usd: number | null, coin: string])[];

function together(atHour: number, legs: Legs): Movement[] {
  return legs.map(([from, to, usd, coin], position) => ({
    ...move(0, from, to, usd),
    tx: `t${atHour}`,
    at: atHour * hour,
    position,
    coin,
  }));
}

const funded = move(0, 'thief', 'user', 100_000);
const next = move(9, 'user', 's', 99_000, { coin: 'USDT' });

async function levelOf(movements: readonly Movement[]): Promise<string> {
  return (await scored(movements, { labels, sides: ['in'] })).level;
}

describe('the trail goes on through contracts without a label that pay the same wallet', () => {
  it.each<[string, Legs]>([
    [
      'a pool',
      [
        ['user', 'pool', 100_000, 'ETH'],
        ['pool', 'user', 99_000, 'USDT'],
      ],
    ],
    [
      'a pool that pays before it is paid',
      [
        ['pool', 'user', 99_000, 'USDT'],
        ['user', 'pool', 100_000, 'ETH'],
      ],
    ],
    [
      'a labelled router and a pool',
      [
        ['user', 'router', 100_000, 'ETH'],
        ['router', 'pool', 100_000, 'WETH'],
        ['pool', 'user', 99_000, 'USDT'],
      ],
    ],
    [
      'a labelled router and a pool that pays before it is paid',
      [
        ['user', 'router', 100_000, 'ETH'],
        ['pool', 'user', 99_000, 'USDT'],
        ['router', 'pool', 100_000, 'WETH'],
      ],
    ],
    [
      'a router and a pool that pays before it is paid',
      [
        ['user', 'aggregator', 100_000, 'ETH'],
        ['pool', 'user', 99_000, 'USDT'],
        ['aggregator', 'pool', 100_000, 'WETH'],
      ],
    ],
    [
      'two pools that pay before they are paid',
      [
        ['pool', 'aggregator', 99_500, 'DAI'],
        ['user', 'pool', 100_000, 'ETH'],
        ['second pool', 'user', 99_000, 'USDT'],
        ['aggregator', 'second pool', 99_500, 'DAI'],
      ],
    ],
  ])('%s', async (_, legs) => {
    expect(await levelOf([funded, ...together(1, legs), next])).toBe('High');
  });

  it('and no innocent user of the same router has what a launderer paid there', async () => {
    const swapOf = (user: string): Legs => [
      [user, 'aggregator', 100_000, 'ETH'],
      ['aggregator', 'pool', 100_000, 'WETH'],
      ['pool', user, 99_000, 'USDT'],
    ];
    const other = move(0, 'exchange', 'other', 100_000);
    const paid = move(9, 'other', 's', 99_000, { coin: 'USDT' });
    expect(await levelOf([funded, other, ...together(1, [...swapOf('user'), ...swapOf('other')]), paid])).toBe('Low');
  });
});

describe('a payout that is larger than the payment in its transaction', () => {
  const own = move(0, 'exchange', 'user', 300_000);
  const deposited = move(0, 'user', 'router', 300_000, { tx: 'deposit', at: hour / 2 });

  it('leaves a swap beside it linked', async () => {
    const legs: Legs = [
      ['user', 'router', 100_000, 'ETH'],
      ['router', 's', 99_000, 'USDT'],
      ['router', 'user', 300_000, 'ETH'],
    ];
    expect(await levelOf([own, deposited, { ...funded, at: 0.7 * hour }, ...together(1, legs)])).toBe('High');
  });

  it('is partly what was paid in', async () => {
    const legs: Legs = [
      ['user', 'router', 100_000, 'ETH'],
      ['router', 's', 400_000, 'USDT'],
    ];
    const { illicit_usd, sides } = await scored([own, deposited, { ...funded, at: 0.7 * hour }, ...together(1, legs)], { labels });
    expect(sides.in.traced).toBeCloseTo(0.25, 9);
    expect(illicit_usd).toBeCloseTo(100_000, 6);
  });

  it('is what its only customer had paid in before, whoever gets it', async () => {
    const stolen = move(1, 'user', 'router', 99_990);
    const legs: Legs = [
      ['user', 'router', 10, 'ETH'],
      ['router', 's', 99_000, 'ETH'],
    ];
    expect(await levelOf([funded, stolen, ...together(2, legs)])).toBe('High');
  });

  it('and is not his if many get it', async () => {
    const stolen = move(1, 'user', 'router', 99_990);
    const legs: Legs = [
      ['user', 'router', 10, 'ETH'],
      ['router', 's', 40_000, 'ETH'],
      ['router', 'other', 59_000, 'ETH'],
    ];
    expect(await levelOf([funded, stolen, ...together(2, legs)])).toBe('Low');
  });

  it('and what the receiver had there himself is his own money', async () => {
    const stolen = move(1, 's', 'router', 100_000);
    const legs: Legs = [
      ['helper', 'router', 1_000, 'ETH'],
      ['router', 's', 101_000, 'ETH'],
    ];
    const { sides, illicit_usd } = await scored(
      [{ ...funded, to: 's' }, stolen, move(1, 'exchange', 'helper', 1_000), ...together(2, legs)],
      {
        labels,
      },
    );
    expect(sides.in).toMatchObject({ total: { usd: 201_000, transfers: 2 }, traced: 0 });
    expect(sides.in.direct).toBeCloseTo(100 / 101, 9);
    expect(illicit_usd).toBeCloseTo(100_000, 6);
  });
});

describe('a router that a list calls an exchange', () => {
  it('is a swap where it is paid in the transaction', async () => {
    const legs: Legs = [
      ['user', 'listed router', 100_000, 'ETH'],
      ['listed router', 's', 99_000, 'USDT'],
    ];
    expect(await levelOf([funded, ...together(1, legs)])).toBe('High');
  });

  it('pays its customers clean money otherwise', async () => {
    const deposit = move(1, 'user', 'listed router', 100_000);
    expect(await levelOf([funded, deposit, move(2, 'listed router', 's', 99_000)])).toBe('Low');
  });
});

describe('what is lent and paid back in one transaction', () => {
  it('dilutes nothing', async () => {
    const legs: Legs = [
      ['lender', 'contract', 50_000_000, 'ETH'],
      ['user', 'contract', 100_000, 'ETH'],
      ['contract', 's', 99_000, 'ETH'],
      ['contract', 'lender', 50_000_000, 'ETH'],
    ];
    const { sides } = await scored([move(0, 'exchange', 'lender', 50_000_000), { ...funded }, ...together(1, legs)], { labels });
    expect(sides.in.traced).toBeCloseTo(1, 9);
  });

  it('is contact all the same where a source lends it', async () => {
    const legs: Legs = [
      ['thief', 's', 5_000, 'ETH'],
      ['s', 'thief', 5_000, 'ETH'],
    ];
    expect((await scored([move(0, 'exchange', 's', 5_000), ...together(1, legs)], { labels })).illicit_usd).toBe(5_000);
  });
});
