import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seed } from '../movement.testing.ts';
import type { Side } from '../store.ts';
import { categoryNames, weightOf } from '../weights.ts';
import { type KindMass, noMass, type SideMasses } from './masses.ts';
import { scoreSide } from './score.ts';

const kind = (category: string, more: Partial<KindMass> = {}): KindMass => {
  const { direct = 0, traced = 0 } = more;
  const weight = weightOf(category).exposure;
  return {
    ...noMass,
    kind: { category, suspected: false, weight },
    direct,
    directWeighted: direct,
    traced,
    weighted: 0.95 * traced,
    directUsd: direct,
    tracedUsd: traced,
    ...more,
  };
};

function side(byKind: readonly KindMass[], more: Partial<SideMasses> = {}): SideMasses {
  return {
    side: 'in',
    total: 1_000,
    byKind,
    unread: 0,
    unreadWeighted: 0,
    doubtfulUsd: 0,
    valued: true,
    peers: { in: 1, out: 1 },
    ...more,
  };
}

const score = (...[byKind, more]: Parameters<typeof side>): number => Math.round(scoreSide(side(byKind, more)).score);
const keys = (...[byKind, more]: Parameters<typeof side>): string[] => scoreSide(side(byKind, more)).contributions.map(({ key }) => key);

describe('the score of what was received', () => {
  it.each([
    ['all from a thief', kind('theft', { direct: 1_000 }), 91],
    ['all traced to a thief', kind('theft', { traced: 1_000 }), 87],
    ['three quarters traced', kind('theft', { traced: 750 }), 72],
    ['half traced', kind('theft', { traced: 500 }), 52],
    ['a tenth direct', kind('theft', { direct: 100 }), 53],
    ['all from a mixer', kind('mixer', { direct: 1_000 }), 75],
    ['all from gambling', kind('gambling', { direct: 1_000 }), 38],
  ])('%s', (_, found, expected) => {
    expect(score([found])).toBe(expected);
  });

  it('is not lowered by gambling beside a thief', () => {
    const thief = kind('theft', { direct: 100 });
    expect(score([thief, kind('gambling', { direct: 900 })])).toBeGreaterThan(score([thief]));
  });

  it('is High from 10,000 USD on, direct or traced, however much other money there is', () => {
    for (const found of [
      kind('theft', { direct: 10_000 }),
      kind('theft', { traced: 10_000 }),
      kind('theft', { direct: 4_000, traced: 6_000 }),
    ]) {
      expect(score([found], { total: 1e9 })).toBe(71);
      expect(keys([found], { total: 1e9 })).toContain('in:floor:illicit_usd');
    }
    expect(score([kind('theft', { traced: 9_999 })], { total: 1e9 })).toBe(3);
    expect(score([kind('mixer', { direct: 50_000 })], { total: 1e9 })).toBe(3);
    expect(Math.round(scoreSide(side([kind('theft', { traced: 500 })], { total: 1e9 }), { high_usd: 500 }).score)).toBe(71);
  });

  it('is Moderate from 1,000 USD straight from a thief on, and for a business instead of High', () => {
    expect(score([kind('theft', { direct: 1_000 })], { total: 1e9 })).toBe(31);
    expect(score([kind('theft', { direct: 50_000 })], { total: 1e9, peers: { in: 200, out: 200 } })).toBe(31);
    expect(score([kind('theft', { direct: 50_000 })], { total: 1e5, peers: { in: 200, out: 200 } })).toBe(91);
  });

  it.each([
    [0.5, 1e6, 3],
    [0.5, 0.5, 70],
    [5, 5, 70],
    [50, 50, 90],
    [100, 100, 90],
    [999, 999, 90],
    [1_000, 1_000, 95],
  ])('of %d USD of sanctions among %d is %d: dust accuses nobody', (usd, total, expected) => {
    const weight = 0.95;
    const found = { ...kind('sanctioned', { direct: usd }), kind: { category: 'sanctioned', suspected: false, weight } };
    expect(score([found], { total })).toBe(expected);
  });

  it('is at most High where what came from a risk has no known value: anybody can send a token', () => {
    const unknown = (usd: number) => kind('theft', { direct: usd, directUsd: 0, directUnknown: usd });
    expect(score([unknown(1_000)], { valued: false })).toBe(90);
    expect(score([unknown(1)], { total: 4, valued: false })).toBe(82);
    expect(score([unknown(20_000)], { total: 20_000 })).toBe(90);
    const beside = (known: number, usd: number) => {
      const direct = known + usd;
      return { ...unknown(usd), direct, directWeighted: direct, directUsd: known };
    };
    // A thief's 100 USD are less than Severe by themselves, and his tokens add nothing to them.
    expect(score([beside(100, 20_000)], { total: 20_100 })).toBe(90);
    // Of 10,000 USD 1,000 are a thief's: without his tokens the side is Moderate.
    expect(score([beside(1_000, 10_000)], { total: 20_000 })).toBe(90);
    expect(score([beside(1_000, 1_000)], { total: 2_000 })).toBe(91);
  });

  it('is at most High for whom a thief pays back what he had paid to him', () => {
    // Of 10,000 USD, because less than 1,000 USD are never Severe.
    const back = (refunded: number) => score([kind('theft', { direct: 10_000, refunded })], { total: 10_000 });
    expect([back(10_000), back(1_000), back(0)]).toEqual([90, 91, 91]);
    expect(score([kind('theft', { direct: 1_000, refunded: 1_000 }), kind('sanctioned', { direct: 1_000 })], { total: 2_000 })).toBe(92);
    expect(score([kind('theft', { direct: 50_000, refunded: 50_000 })], { total: 1e9 })).toBe(71);
  });

  it('is Moderate where unread money could make it High', () => {
    expect(score([], { unread: 1_000, unreadWeighted: 950 })).toBe(31);
    expect(keys([], { unread: 1_000, unreadWeighted: 950 })).toEqual(['in:floor:unread']);
    expect(score([], { unread: 1_000, unreadWeighted: 400 })).toBe(3);
  });

  it('of a large sum that was not read, through one payer, is at least Moderate beside any other money', () => {
    const much = { total: 1e7, unread: 10_000, unreadWeighted: 9_500, doubtfulUsd: 10_000 };
    expect([score([], much), score([], { ...much, doubtfulUsd: 9_999 }), score([], { ...much, side: 'out' })]).toEqual([31, 3, 3]);
    expect(keys([], much)).toEqual(['in:floor:unread']);
    expect(score([kind('theft', { traced: 2_000 })], { ...much, doubtfulUsd: 8_000 })).toBe(31);
    expect(score([kind('gambling', { traced: 2_000 })], { ...much, doubtfulUsd: 8_000 })).toBe(3);
  });

  it('has an upper end: all that was not read, as if it were stolen', () => {
    expect(scoreSide(side([], { unread: 1_000, unreadWeighted: 950 })).upper).toBeCloseTo(86.9, 1);
    expect(scoreSide(side([], { unread: 1_000, unreadWeighted: 400 })).upper).toBeCloseTo(38.3, 1);
    expect(scoreSide(side([], { unread: 20_000, unreadWeighted: 19_000, total: 1e9 })).upper).toBeLessThan(4);
  });
});

describe('the score of what was paid', () => {
  const out = (...byKind: readonly KindMass[]): number => score(byKind, { side: 'out' });

  it('is at most High for who may be a victim, and Moderate without direct contact', () => {
    for (const category of ['theft', 'ransom', 'phishing', 'scam', 'illicit'])
      expect(out(kind(category, { direct: 1_000 }))).toBeLessThanOrEqual(90);
    expect(out(kind('theft', { direct: 1_000 }))).toBe(90);
    expect(out(kind('sanctioned', { traced: 1_000 }))).toBe(70);
    expect(out(kind('sanctioned', { direct: 1_000 }))).toBe(92);
  });

  it('is at most High for a possible victim whatever else he paid, which keeps its own weight', () => {
    for (const category of ['gambling', 'mixer', 'darknet', 'sanctioned'])
      expect(out(kind('theft', { direct: 900 }), kind(category, { direct: 100 }))).toBe(90);
    expect(out(kind('theft', { direct: 100 }), kind('sanctioned', { direct: 900 }))).toBe(92);
    expect(out(kind('scam', { direct: 500 }), kind('gambling', { direct: 500 }))).toBeLessThanOrEqual(90);
  });

  it('is High from 100 USD paid to a sanctioned address on', () => {
    expect(score([kind('sanctioned', { direct: 100 })], { side: 'out', total: 1e9 })).toBe(71);
    expect(score([kind('sanctioned', { direct: 99 })], { side: 'out', total: 99 })).toBe(90);
    expect(score([kind('theft', { direct: 100_000 })], { side: 'out', total: 1e9 })).toBe(3);
  });
});

const massArb = fc
  .record({
    category: fc.constantFrom(...categoryNames),
    direct: fc.integer({ min: 0, max: 20_000 }),
    traced: fc.integer({ min: 0, max: 20_000 }),
  })
  .map(({ category, ...usd }) => kind(category, usd));
const sideArb = fc
  .record({
    side: fc.constantFrom<Side>('in', 'out'),
    byKind: fc.uniqueArray(massArb, { maxLength: 5, selector: (one) => one.kind.category }),
    clean: fc.integer({ min: 0, max: 1_000_000 }),
    unread: fc.integer({ min: 0, max: 10_000 }),
  })
  .map(({ side: of, byKind, clean, unread }) => {
    const total = byKind.reduce((sum, { direct, traced }) => sum + direct + traced, clean + unread);
    return side(byKind, { side: of, total, unread, unreadWeighted: 0.95 * unread });
  });

describe('for all masses', () => {
  it('the contributions add up to the score, which is from 3 to 100', () => {
    fc.assert(
      fc.property(sideArb, (masses) => {
        const found = scoreSide(masses);
        expect(found.contributions.reduce((sum, { points }) => sum + points, 3)).toBeCloseTo(found.score, 9);
        expect(found.score).toBeGreaterThanOrEqual(3);
        expect(found.score).toBeLessThanOrEqual(100);
        expect(Math.max(found.upper, 31)).toBeGreaterThanOrEqual(found.score - 1e-9);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('more stolen money beside the same clean money never lowers what was received', () => {
    const usd = fc.integer({ min: 0, max: 50_000 });
    fc.assert(
      fc.property(usd, usd, usd, fc.constantFrom('direct', 'traced'), (clean, stolen, more, link) => {
        const of = (theft: number): number => scoreSide(side([kind('theft', { [link]: theft })], { total: clean + theft })).score;
        fc.pre(clean + stolen > 0);
        expect(of(stolen + more)).toBeGreaterThanOrEqual(of(stolen) - 1e-9);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('clean money found to be illicit never lowers what was received', () => {
    fc.assert(
      fc.property(sideArb, fc.constantFrom(...categoryNames), fc.integer({ min: 1, max: 50_000 }), (masses, category, more) => {
        const received = { ...masses, side: 'in' as const, total: masses.total + more };
        const old = received.byKind.find((one) => one.kind.category === category) ?? kind(category);
        const others = received.byKind.filter((one) => one !== old);
        const before = scoreSide({ ...received, byKind: [...others, old] }).score;
        const after = scoreSide({
          ...received,
          byKind: [...others, kind(category, { direct: old.direct + more, traced: old.traced })],
        }).score;
        expect(after).toBeGreaterThanOrEqual(before - 1e-9);
      }),
      { seed, numRuns: 500 },
    );
  });
});
