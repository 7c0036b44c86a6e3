import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Graph, label, scored } from './graph.testing.ts';
import { categoryNames, levelOf } from './index.ts';
import { scoreOf } from './score.ts';
import { hopWeight, limits } from './weights.ts';

const categories = ['sanctioned', 'theft', 'scam', 'mixer', 'gambling', 'bridge'] as const;

interface Branch {
  readonly category: string;
  readonly hop: number;
  readonly usd: number;
}

/** 1,000 USD through branches that share no address; an ordinary one pays the rest. */
function branches(all: readonly Branch[]): Graph {
  const rest = 1_000 - all.reduce((sum, { usd }) => sum + usd, 0);
  return {
    transfers: [
      ['ordinary', 'subject', rest],
      ...all.flatMap(({ hop, usd }, index) =>
        Array.from({ length: hop }, (_, at) => [`${index}-${at + 1}`, at === 0 ? 'subject' : `${index}-${at}`, usd] as const),
      ),
    ],
    labels: Object.fromEntries(all.map(({ category, hop }, index) => [`${index}-${hop}`, label(category)])),
  };
}

const branchArb = fc.record({
  category: fc.constantFrom(...categories),
  hop: fc.integer({ min: 1, max: limits.hops }),
  usd: fc.integer({ min: 2, max: 200 }),
});
const branchesArb = fc.array(branchArb, { minLength: 1, maxLength: 4 });

function replaced(all: readonly Branch[], at: number, change: Partial<Branch>): Branch[] {
  return all.map((branch, index) => (index === at % all.length ? { ...branch, ...change } : branch));
}

describe('a score with exposures at several hops', () => {
  it('never falls when more is with a risk entity, however far', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArb, fc.nat(), fc.integer({ min: 2, max: 400 }), async (all, at, usd) => {
        const before = all[at % all.length]?.usd ?? 0;
        const more = await scored(branches(replaced(all, at, { usd: Math.max(before, usd) })));
        expect(more.score).toBeGreaterThanOrEqual((await scored(branches(all))).score);
      }),
    );
  });

  it('never falls when the same is nearer: indirect never weighs more than direct', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArb, fc.nat(), fc.integer({ min: 1, max: limits.hops }), async (all, at, hop) => {
        const before = all[at % all.length]?.hop ?? 1;
        const nearer = await scored(branches(replaced(all, at, { hop: Math.min(before, hop) })));
        expect(nearer.score).toBeGreaterThanOrEqual((await scored(branches(all))).score);
      }),
    );
  });

  it('is the sum of its contributions, and each share is found whole', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArb, async (all) => {
        const result = await scored(branches(all));
        expect(result.contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(result.score, 9);
        expect(result.contributions.every(({ points }) => points >= 0)).toBe(true);
        expect(result.sides.in.risk).toBeCloseTo(all.reduce((sum, { usd }) => sum + usd, 0) / 1_000, 9);
      }),
    );
  });

  it('some of it direct and the rest behind is no worse than all of it direct', () => {
    const score = (direct: number, indirect: number): number =>
      scoreOf({ own: [], shares: [{ category: 'theft', direct, indirect: indirect * hopWeight(2) }] }).score;
    expect(score(0.2, 0.8)).toBeLessThanOrEqual(score(1, 0));
    expect(score(0.2, 0.8)).toBeGreaterThan(score(0.2, 0));
  });

  it.each(categoryNames)('%s alone behind somebody else is never Severe', (category) => {
    expect(scoreOf({ own: [], shares: [{ category, direct: 0, indirect: hopWeight(2) }] }).level).not.toBe('Severe');
  });

  it.each([
    [2, 88, 'High'],
    [3, 82, 'High'],
    [4, 73, 'High'],
    [5, 61, 'Moderate'],
    [6, 50, 'Moderate'],
    [7, 37, 'Moderate'],
  ])('all funds from a theft %i hops away: %i %s', async (hop, score, level) => {
    expect(await scored(branches([{ category: 'theft', hop, usd: 1_000 }]))).toMatchObject({ score, level });
  });

  it('weighs less with every hop', () => {
    const weights = Array.from({ length: limits.hops }, (_, index) => hopWeight(index + 1));
    expect(weights[0]).toBe(1);
    expect(weights.every((weight, index) => index === 0 || weight < (weights[index - 1] ?? 0))).toBe(true);
    expect(hopWeight(limits.hops + 1)).toBe(0);
  });
});

describe('what the score would be without', () => {
  it('each finding whose absence changes the level is said', async () => {
    const graph = branches([{ category: 'gambling', hop: 1, usd: 900 }]);
    const result = await scored({ ...graph, labels: { ...graph.labels, subject: label('theft') } });
    expect(result.level).toBe('Severe');
    expect(result.counterfactuals).toEqual([{ without: 'own:theft', score: 38, level: 'Moderate' }]);
  });

  it('what is behind, where that is all there is', async () => {
    const result = await scored(branches([{ category: 'theft', hop: 2, usd: 1_000 }]));
    expect(result.counterfactuals).toEqual([{ without: 'indirect:theft', score: 3, level: 'Low' }]);
  });

  it('direct dealings of a category: what is behind counts by itself then', async () => {
    const both = branches([
      { category: 'theft', hop: 1, usd: 500 },
      { category: 'theft', hop: 2, usd: 500 },
    ]);
    const result = await scored(both);
    const direct = Object.entries(both.labels ?? {}).filter(([address]) => !address.startsWith('0-'));
    const without = await scored({ ...both, labels: Object.fromEntries(direct) });
    expect(result.counterfactuals).toEqual([{ without: 'exposure:theft', score: without.score, level: without.level }]);
  });

  it('is empty where nothing changes the level', async () => {
    expect((await scored(branches([{ category: 'bridge', hop: 1, usd: 500 }]))).counterfactuals).toEqual([]);
  });

  it('never scores higher, and always in another band', async () => {
    await fc.assert(
      fc.asyncProperty(branchesArb, async (all) => {
        const result = await scored(branches(all));
        for (const { without, score, level } of result.counterfactuals) {
          expect(result.contributions.slice(1).map(({ key }) => key)).toContain(without);
          expect(score).toBeLessThan(result.score);
          expect(level).toBe(levelOf(score));
          expect(level).not.toBe(result.level);
        }
      }),
    );
  });
});
