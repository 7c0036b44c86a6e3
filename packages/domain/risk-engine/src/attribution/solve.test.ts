import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { move, moves, movementsArb, type Row, seed } from '../movement.testing.ts';
import { type Rule, rules } from './holding.ts';
import { oracle } from './oracle.testing.ts';
import { type Roles, sharesAt, solved } from './solve.testing.ts';
import { usdOf } from './taint.ts';

const roles: Roles = { sources: ['thief'], services: ['exchange'] };
const shares = (rows: readonly Row[], address = 's', given = roles, rule: Rule = 'haircut') =>
  sharesAt(address, solved(moves(rows), given, 'in', rule));

/** All of it passes down the line, an hour at each address. */
function line(usd: number, ...addresses: readonly string[]): Row[] {
  return addresses.slice(1).map((to, index): Row => [addresses[index] ?? '', to, usd]);
}

describe('money in time order', () => {
  it('from a source weighs fully, and through pass-throughs 0.95 at any length', () => {
    expect(shares(line(100, 'thief', 's'))).toMatchObject({ mass: 1, weighted: 1, counted: 1 });
    for (const hops of [1, 8, 40]) {
      const mules = Array.from({ length: hops }, (_, index) => `m${index}`);
      const { mass, weighted, counted } = shares(line(100, 'thief', ...mules, 's'));
      expect([mass, weighted, counted]).toEqual([1, expect.closeTo(0.95, 12), 1]);
    }
  });

  it('loses two per cent at each address that holds it, and no more than a tenth', () => {
    const slow = (hops: number): Row[] =>
      line(100, 'thief', ...Array.from({ length: hops }, (_, i) => `m${i}`), 's').map(
        ([from, to, usd], index): Row => [from, to, usd, index * 24 * 8],
      );
    expect(shares(slow(1)).weighted).toBeCloseTo(0.95, 12);
    expect(shares(slow(2)).weighted).toBeCloseTo(0.95 * 0.98, 12);
    expect(shares(slow(20)).weighted).toBeCloseTo(0.9, 12);
  });

  it('cannot carry what came later', () => {
    expect(
      shares([
        ['m', 's', 100],
        ['thief', 'm', 100],
      ]).mass,
    ).toBe(0);
    expect(
      shares([
        ['other', 'm', 50],
        ['m', 's', 50],
        ['thief', 'm', 50],
        ['m', 's', 50],
      ]).mass,
    ).toBe(0.5);
  });

  it('keeps its share in a circle, however often it goes round', () => {
    const circle = (rounds: number): Row[] => [
      ['thief', 'a', 100],
      ['other', 'a', 100],
      ...Array.from({ length: rounds }, (): Row[] => [
        ['a', 'b', 200],
        ['b', 'a', 200],
      ]).flat(),
      ['a', 's', 200],
    ];
    for (const rounds of [1, 10, 1_000]) {
      expect(shares(circle(rounds)).mass).toBeCloseTo(0.5, 9);
      expect(shares(circle(rounds)).weighted).toBeGreaterThan(0.45 - 1e-9);
    }
  });

  it('is old money when it comes back from a service, and keeps its taint', () => {
    const back = shares([
      ['thief', 's', 100],
      ['s', 'exchange', 100],
      ['exchange', 's', 300],
    ]);
    expect(back.returned).toBe(0.25);
    expect(back.mass).toBe(0.5);
    expect(
      shares([
        ['thief', 'a', 100],
        ['a', 'exchange', 100],
        ['exchange', 's', 100],
      ]).mass,
    ).toBe(0);
  });

  it('that went to a source is gone', () => {
    expect(
      shares([
        ['thief', 'm', 100],
        ['m', 'thief', 100],
        ['other', 'm', 100],
        ['m', 's', 100],
      ]).mass,
    ).toBe(0);
  });

  it('that arrived unrecorded is like what is known', () => {
    expect(
      shares([
        ['thief', 'm', 50],
        ['other', 'm', 50],
        ['m', 's', 200],
      ]).mass,
    ).toBe(0.5);
    expect(shares([['m', 's', 200]]).mass).toBe(0);
  });

  it('beyond twice the known illicit sum is an extrapolation, and dust gives none', () => {
    const third = shares([
      ['thief', 'm', 100],
      ['m', 's', 100],
      ['m', 's', 100],
      ['m', 's', 100],
    ]);
    expect(third.mass).toBe(1);
    expect(third.weighted).toBeCloseTo((0.95 + 0.95 + 0.6) / 3, 9);
    expect(third.counted).toBeCloseTo(2 / 3, 9);
    expect(
      shares([
        ['thief', 'm', 5],
        ['m', 's', 1_000],
      ]),
    ).toMatchObject({ mass: 0.01 });
  });

  it('behind a probable service weighs 0.40 and counts no USD, there and further on', () => {
    const customers = Array.from({ length: 20 }, (_, i): Row[] => [
      [`in${i}`, 'hub', 1],
      ['hub', `out${i}`, 1],
    ]).flat();
    const through: Row[] = [...customers, ['thief', 'hub', 100], ['hub', 'm', 100], ['m', 's', 100]];
    for (const address of ['m', 's']) {
      const { mass, weighted, counted } = shares(through, address);
      expect(mass).toBeGreaterThan(0.8);
      expect([weighted / mass, counted]).toEqual([expect.closeTo(0.4, 12), 0]);
    }
  });

  it('of an address that was not read is of an unknown past', () => {
    const rows: Row[] = [
      ['x', 'm', 60],
      ['other', 'm', 40],
      ['m', 's', 100],
    ];
    expect(shares(rows, 's', { ...roles, unread: ['x'] })).toMatchObject({ unread: 0.6, mass: 0 });
  });

  it('is followed from the payer as from the payee: out is in with time and direction reversed', () => {
    const rows: Row[] = [
      ['s', 'm', 100],
      ['other', 'm', 100],
      ['m', 'thief', 200],
    ];
    const out = sharesAt('s', solved(moves(rows), roles, 'out'));
    expect(out).toMatchObject({ mass: 1, weighted: 0.95 });
    const early: Row[] = [
      ['m', 'thief', 200],
      ['s', 'm', 100],
    ];
    expect(sharesAt('s', solved(moves(early), roles, 'out')).mass).toBe(0);
  });

  it('of unknown value counts as the average of the known one', () => {
    expect(
      shares([
        ['thief', 's', null],
        ['other', 's', 300],
        ['other', 's', 100],
      ]).mass,
    ).toBeCloseTo(1 / 3, 12);
    const worthless = Array.from({ length: 1_000 }, (): Row => ['other', 's', null]);
    expect(shares([['thief', 's', 1_000], ...worthless]).mass).toBeCloseTo(0.5, 9);
  });
});

describe('of mixed money', () => {
  const illicit = (rule: Rule, ...payers: readonly string[]): number[] => {
    const income = payers.map((payer): Row => [payer, 'm', 100]);
    const rows: Row[] = [...income, ['m', 'first', 100], ['m', 'second', 150]];
    return ['first', 'second'].map((address) => shares(rows, address, roles, rule).mass);
  };
  const parts = (...values: readonly number[]) => values.map((value) => expect.closeTo(value, 12));

  it('each payment takes a part of all by haircut, the oldest by FIFO, and the latest by LIFO', () => {
    expect(illicit('haircut', 'thief', 'other', 'other')).toEqual(parts(1 / 3, 1 / 3));
    expect(illicit('fifo', 'thief', 'other', 'other')).toEqual(parts(1, 0));
    expect(illicit('fifo', 'other', 'thief', 'other')).toEqual(parts(0, 2 / 3));
    expect(illicit('lifo', 'other', 'other', 'thief')).toEqual(parts(1, 0));
    expect(illicit('lifo', 'other', 'thief', 'other')).toEqual(parts(0, 2 / 3));
  });

  it('what leaves inside the transaction that brought it is no lot of the wallet', () => {
    const swap = { tx: 'swap', coin: 'USDC' };
    const movements = [
      move(0, 'thief', 'm', 100),
      move(1, 'other', 'm', 100, swap),
      move(1, 'm', 'first', 100, { ...swap, coin: 'ETH', position: 1 }),
      move(2, 'm', 's', 100),
    ];
    for (const rule of rules) expect(sharesAt('s', solved(movements, roles, 'in', rule)).mass).toBe(1);
  });
});

describe('for all transfers', () => {
  const addresses = ['thief', 'exchange', 'a', 'b', 'c', 'd'];
  const kindOf = (address: string) => (address === 'thief' ? 'source' : address === 'exchange' ? 'service' : 'wallet');

  const sidesAndRules = (['in', 'out'] as const).flatMap((side) => rules.map((rule) => [side, rule] as const));
  it.each(sidesAndRules)('the illicit USD is that of the definition (%s, %s)', (side, rule) => {
    fc.assert(
      fc.property(movementsArb(addresses, 40), (movements) => {
        const { payments, carried } = solved(movements, roles, side, rule);
        const expected = oracle(payments, { kindOf, rule });
        carried.forEach(({ taint }, index) => expect(usdOf(taint, 'mass', 0)).toBeCloseTo(expected[index] ?? -1, 6));
      }),
      { seed },
    );
  });

  it.each(rules)('a payment carries at most itself, and weight and count stay below the mass (%s)', (rule) => {
    fc.assert(
      fc.property(movementsArb(addresses, 40), (movements) => {
        const { payments, carried } = solved(movements, roles, 'in', rule);
        carried.forEach(({ taint }, index) => {
          const [mass, weighted, counted] = [usdOf(taint, 'mass', 0), usdOf(taint, 'weighted', 0), usdOf(taint, 'counted', 0)];
          expect(mass).toBeLessThanOrEqual((payments[index]?.usd ?? 0) + 1e-9);
          expect(Math.max(weighted, counted)).toBeLessThanOrEqual(mass + 1e-9);
          expect(Math.min(weighted, counted)).toBeGreaterThanOrEqual(0);
        });
      }),
      { seed },
    );
  });

  it.each(rules)('who pays no more than he received passes on no more illicit money than he received (%s)', (rule) => {
    fc.assert(
      fc.property(movementsArb(addresses, 40), (movements) => {
        const { payments, carried } = solved(movements, roles, 'in', rule);
        for (const address of ['a', 'b', 'c', 'd']) {
          let [balance, isCovered, held] = [0, true, 0];
          payments.forEach(({ payer, payee, usd }, index) => {
            const taint = carried[index]?.taint;
            const mass = taint === undefined ? 0 : usdOf(taint, 'mass', 0);
            if (payee === address) [balance, held] = [balance + usd, held + mass];
            if (payer !== address || payee === 'thief') return;
            isCovered &&= usd <= balance;
            [balance, held] = [balance - usd, held - mass];
            if (isCovered) expect(held).toBeGreaterThanOrEqual(-1e-6);
          });
        }
      }),
      { seed },
    );
  });

  it.each(rules)('a second thief never lowers what is illicit (%s)', (rule) => {
    fc.assert(
      fc.property(movementsArb(addresses, 40), fc.constantFrom('b', 'c', 'd'), (movements, other) => {
        const mass = (sources: readonly string[]): number => sharesAt('a', solved(movements, { ...roles, sources }, 'in', rule)).mass;
        expect(mass(['thief', other])).toBeGreaterThanOrEqual(mass(['thief']) - 1e-9);
      }),
      { seed },
    );
  });

  it('another hop that only passes money on changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 3, maxLength: 3 }),
        fc.nat({ max: 20 }),
        ([stolen = 1, own = 1, paid = 1], hops) => {
          const mules = Array.from({ length: hops }, (_, index) => `m${index}`);
          const head: Row[] = [
            ['thief', 'x', stolen],
            ['other', 'x', own],
          ];
          const direct = shares([...head, ['x', 'y', paid], ['y', 's', paid]]);
          const longer = shares([...head, ...line(paid, 'x', 'y', ...mules, 's')]);
          expect(longer.mass).toBeCloseTo(direct.mass, 9);
          expect(longer.weighted).toBeCloseTo(direct.weighted, 9);
        },
      ),
      { seed },
    );
  });

  it.each(rules)('the interval of what was not read holds the share of a full reading (%s)', (rule) => {
    fc.assert(
      fc.property(movementsArb(addresses, 40), fc.subarray(['b', 'c', 'd']), (movements, unread) => {
        const full = sharesAt('a', solved(movements, roles, 'in', rule));
        const part = sharesAt('a', solved(movements, { ...roles, unread }, 'in', rule));
        expect(full.mass).toBeLessThanOrEqual(part.mass + part.unread + 1e-9);
      }),
      { seed },
    );
  });
});
