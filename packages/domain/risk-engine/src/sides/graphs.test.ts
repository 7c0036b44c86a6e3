import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { line, scored, scoredRows } from '../graph.testing.ts';
import { hour, move, moves, type Row, seed } from '../movement.testing.ts';
import type { Movement } from '../store.ts';

const score = async (rows: readonly Row[]): Promise<number> => (await scoredRows(rows)).score;

const mules = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

describe.each([1_500, 100_000])('%i USD of a thief', (usd) => {
  it.each([1, 2, 3, 6, 8, 10, 40])('are High behind %i wallets in a row', async (hops) => {
    expect(await score(line(usd, 'thief', ...mules(hops), 's'))).toBe(87);
  });

  it.each([8, 30])('are High at the end of a peel chain of %i', async (hops) => {
    const stages = ['thief', ...mules(hops), 's'];
    const rows = stages.slice(1).flatMap((to, index): Row[] => {
      const left = usd * 0.98 ** index;
      return index === 0
        ? [['thief', to, left]]
        : [
            [stages[index] ?? '', `shop${index}`, left * 0.02],
            [stages[index] ?? '', to, left * 0.98],
          ];
    });
    expect(await score(rows)).toBe(87);
  });

  it.each([1, 10, 100, 1_000])('are the same after %i rounds in a circle one step before', async (rounds) => {
    const circle = Array.from({ length: rounds }, (): Row[] => [
      ['m0', 'm1', usd],
      ['m1', 'm0', usd],
    ]).flat();
    const found = await score([['thief', 'm0', usd], ...circle, ['m0', 's', usd]]);
    expect(Math.abs(found - 87)).toBeLessThanOrEqual(1);
  });

  it.each(['before', 'after'])('are High through a wallet that got three times as much of its own %s', async (when) => {
    const own: Row = ['exchange', 'm', 3 * usd];
    const rows: Row[] = when === 'before' ? [own, ['thief', 'm', usd]] : [['thief', 'm', usd], own];
    expect(await score([...rows, ['m', 's', usd]])).toBe(87);
  });

  it('that came after an address paid are not what it paid', async () => {
    expect(
      await score([
        ['m', 's', usd],
        ['thief', 'm', usd],
      ]),
    ).toBe(3);
  });

  it('are High through 900 mules', async () => {
    const paid = mules(900).map((mule): Row => ['thief', mule, usd / 900]);
    expect(await score([...paid, ...mules(900).map((mule): Row => [mule, 's', usd / 900])])).toBeGreaterThanOrEqual(71);
  });

  it('leave a side with twenty times as much own money at least Moderate, in 2,000 pieces too', async () => {
    const pieces = mules(2_000).flatMap((mule): Row[] => line(usd / 2_000, 'thief', mule, 's'));
    const found = await score([...pieces, ['exchange', 's', 20 * usd]]);
    expect(found).toBe(usd < 10_000 ? 3 : 31);
  });

  it('are High in another wallet after a swap, and one step behind it', async () => {
    const swap = (from: string, to: string, coin: string, position: number): Movement => ({
      ...move(5, from, to, usd),
      tx: 'swap',
      coin,
      position,
    });
    const legs = [move(0, 'thief', 'user', usd), swap('user', 'router', 'ETH', 0), swap('router', 's', 'USDC', 1)];
    expect((await scored(legs)).score).toBe(87);
    const behind = [...legs.slice(0, 2), swap('router', 'w', 'USDC', 1), move(9, 'w', 's', usd, { coin: 'USDC' })];
    expect((await scored(behind)).score).toBe(87);
  });

  it('that went to an exchange and came back are no other money', async () => {
    const circle = Array.from({ length: 20 }, (): Row[] => [
      ['s', 'exchange', usd],
      ['exchange', 's', usd],
    ]).flat();
    expect(await score([['thief', 's', usd], ...circle])).toBe(91);
  });
});

describe('many small payers, beside as much other money', () => {
  const payers = (stolen: number): Row[] =>
    mules(2_000).flatMap((mule, index): Row[] => line(100, index % 100 < stolen ? 'thief' : 'exchange', mule, 's'));

  it.each([
    [0, 3],
    [1, 3],
    [30, 31],
  ])('%i %% of whom a thief pays', async (stolen, expected) => {
    expect(Math.floor(await score([...payers(stolen), ['exchange', 's', 1_000_000]]))).toBe(expected);
  });

  it('are not all listed: large sums of few payers are in doubt', async () => {
    const own = Array.from({ length: 6_000 }, (): Row => ['exchange', 's', 1_000]);
    const stolen = (usd: number): Row[] => [['thief', 'm', usd], ...Array.from({ length: 100 }, (): Row => ['m', 's', usd / 100])];
    expect([await score([...stolen(20_000), ...own]), await score([...stolen(5_000), ...own])]).toEqual([31, 3]);
  });
});

describe('100,000 USD of a thief among own money', () => {
  const own = (times: number): Row[] => Array.from({ length: times }, (): Row => ['exchange', 's', 100_000]);

  it.each([1, 20, 1_000])('%i times as much are High, direct and traced', async (times) => {
    expect(await score([['thief', 's', 100_000], ...own(times)])).toBeGreaterThanOrEqual(71);
    expect(await score([['thief', 'm', 100_000], ['m', 's', 100_000], ...own(times)])).toBeGreaterThanOrEqual(71);
  });

  it('doubled at each of eight steps are High', async () => {
    const rows: Row[] = [['thief', 'm0', 100_000]];
    for (let step = 0; step < 8; step++) {
      rows.push(['exchange', `m${step}`, 100_000 * 2 ** step], [`m${step}`, step === 7 ? 's' : `m${step + 1}`, 200_000 * 2 ** step]);
    }
    expect(await score(rows)).toBe(71);
  });

  it('are High by a limit of the settings, and their part is told in USD', async () => {
    const rows = moves([
      ['thief', 'm', 400],
      ['m', 's', 400],
      ['exchange', 's', 1e6],
    ]);
    const found = await scored(rows, { settings: { high_usd: 400 } });
    expect(found).toMatchObject({ score: 71, sides: { in: { illicit_usd: { direct: 0, traced: 400 } } } });
    expect((await scored(rows)).score).toBe(3);
  });
});

describe.each([20, 90])('behind an unlabelled address with %i payers and payees, beside much own money,', (peers) => {
  const rows = (first: string): Row[] => [
    ...mules(peers).flatMap((mule): Row[] => line(100_000 / peers, first, mule, 'hub')),
    ...mules(peers).map((mule): Row => ['hub', `${mule} payee`, 1]),
    ['hub', 's', 100_000 - peers],
    ['exchange', 's', 1e7],
  ];

  it('100,000 stolen USD are Moderate, and 100,000 USD of a mixer are Low', async () => {
    expect([await score(rows('thief')), await score(rows('mixer'))]).toEqual([31, expect.toSatisfy((low: number) => low < 31)]);
  });
});

describe('an innocent', () => {
  it('who was sent 0.5 USD from a sanctioned address is Low, and a fresh address with nothing else Moderate', async () => {
    expect(
      await score([
        ['exchange', 's', 170_000],
        ['listed', 's', 0.5],
      ]),
    ).toBe(3);
    expect(await score([['listed', 's', 0.5]])).toBe(70);
  });

  it('whom a thief sends little is High, and not Severe, if nothing else is known of his income', async () => {
    for (const usd of [100, 999]) expect(await score([['thief', 's', usd]])).toBe(90);
    expect(await score([['thief', 's', 1_000]])).toBe(91);
  });

  it.each([100, 1_000])('whom a thief sends %i USD and many worthless tokens is not Severe', async (usd) => {
    const income = Array.from({ length: 10 }, (): Row => ['exchange', 's', 10 * usd]);
    const tokens = Array.from({ length: 12 }, (): Row => ['thief', 's', null]);
    expect(await score([...income, ['thief', 's', usd], ...tokens])).toBe(90);
  });

  it.each(['thief', 'ransom'])('who only paid a %s is at most High, and as a sender Low', async (bad) => {
    const rows = moves([
      ['exchange', 's', 10_000],
      ['s', bad, 10_000],
    ]);
    const found = await scored(rows);
    expect(found.score).toBeLessThanOrEqual(90);
    expect(found.score).toBeGreaterThanOrEqual(31);
    expect((await scored(rows, { sides: ['in'] })).score).toBe(3);
  });

  it('whose payee later paid a thief is at most Moderate', async () => {
    expect(
      await score([
        ['exchange', 's', 10_000],
        ['s', 'm', 10_000],
        ['m', 'thief', 10_000],
      ]),
    ).toBeLessThanOrEqual(70);
  });

  it('who shares a router with a thief is Low', async () => {
    const swap = (at: number, from: string, to: string, coin: string, position: number): Movement => ({
      ...move(at, from, to, 1_000),
      tx: `swap${at}`,
      coin,
      position,
    });
    const both = ['user', 's'].flatMap((who, index) => [
      swap(5 + index, who, 'router', 'ETH', 0),
      swap(5 + index, 'router', who, 'USDC', 1),
    ]);
    expect((await scored([move(0, 'thief', 'user', 1_000), move(1, 'exchange', 's', 1_000), ...both])).score).toBe(3);
  });

  it('who withdraws from an unlabelled exchange that a thief used is not High', async () => {
    const customers = mules(300).flatMap((mule): Row[] => [
      [mule, 'hub', 5_000],
      ['hub', `${mule} wallet`, 5_000],
    ]);
    const rows: Row[] = [...customers, ['thief', 'hub', 1e6], ['hub', 's', 50_000]];
    expect(await score(rows)).toBeLessThan(71);
  });
});

it('paying a sanctioned address 100 USD is High however little it is of the whole', async () => {
  expect(
    await score([
      ['exchange', 's', 1e6],
      ['s', 'shop', 999_900],
      ['s', 'listed', 100],
    ]),
  ).toBe(71);
});

it('the two sides are told apart, and the worse one is the score', async () => {
  const rows = moves([
    ['thief', 's', 5_000],
    ['other', 's', 5_000],
    ['s', 'mixer', 10_000],
  ]);
  const found = await scored(rows);
  expect(found.sides.in).toMatchObject({ direct: 0.5, traced: 0, illicit_usd: { direct: 5_000, traced: 0 } });
  expect(found.sides.out).toMatchObject({ direct: 1, illicit_usd: { direct: 0, traced: 0 } });
  expect(found.exact).toBe(Math.max(found.sides.in.score, found.sides.out.score));
});

it('own labels count beside the worse side, and a service by its label alone', async () => {
  expect((await scored(moves([['exchange', 'thief', 100]]), { subject: 'thief' })).score).toBe(97);
  expect((await scored(moves([['thief', 'exchange', 1e6]]), { subject: 'exchange' })).score).toBe(3);
});

describe('for all transfers', () => {
  const addresses = ['thief', 'exchange', 'mixer', 's', 'a', 'b', 'c', 'd'];
  const rowArb = fc.tuple(fc.constantFrom(...addresses), fc.constantFrom(...addresses), fc.integer({ min: 1, max: 20_000 }));
  const movementsArb = fc.array(rowArb, { maxLength: 30 }).map((rows) => moves(rows.filter(([from, to]) => from !== to)));

  it('contributions add up to the score', async () => {
    await fc.assert(
      fc.asyncProperty(movementsArb, async (movements) => {
        const { score: whole, contributions } = await scored(movements);
        expect(contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(whole, 9);
      }),
      { seed },
    );
  });

  it('more stolen money beside the same transfers never lowers what was received', async () => {
    await fc.assert(
      fc.asyncProperty(movementsArb, fc.integer({ min: 1, max: 20_000 }), async (movements, usd) => {
        const last = move(1_000, 'thief', 's', usd);
        const [before, after] = [await scored(movements), await scored([...movements, last])];
        expect(after.sides.in.score).toBeGreaterThanOrEqual(before.sides.in.score - 1e-9);
      }),
      { seed },
    );
  });

  it('the order of loading does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(movementsArb, async (movements) => {
        expect(await scored(movements.toReversed())).toEqual(await scored(movements));
      }),
      { seed },
    );
  });

  it('a wallet more in the way, which only passes money on, changes at most a point', async () => {
    await fc.assert(
      fc.asyncProperty(movementsArb, fc.integer({ min: 1, max: 20_000 }), fc.nat({ max: 20 }), async (movements, usd, hops) => {
        const way = (...wallets: readonly string[]): Movement[] =>
          line(usd, 'a', ...wallets, 's').map(([from, to], index) => move(1_000 + index, from, to, usd, { at: 1_000 * hour + index }));
        const near = await scored([...movements, ...way('x')]);
        const far = await scored([...movements, ...way('x', ...mules(hops))]);
        expect(Math.abs(far.sides.in.score - near.sides.in.score)).toBeLessThanOrEqual(1);
      }),
      { seed },
    );
  });
});
