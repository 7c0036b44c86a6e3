import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { label, scored, star } from './graph.testing.ts';
import { canonicalCategory, categoryNames, combine, detailOrder, levelOf, riskTypes } from './index.ts';
import { saturate, weightOf } from './weights.ts';

describe('an address by its own label', () => {
  it.each([
    ['sanctioned', 100, 'Severe'],
    ['theft', 97, 'Severe'],
    ['phishing', 95, 'Severe'],
    ['ransomware', 96, 'Severe'],
    ['scam', 93, 'Severe'],
    ['darknet_market', 94, 'Severe'],
    ['mixer', 85, 'High'],
    ['gambling', 47, 'Moderate'],
    ['risk_exchange', 56, 'Moderate'],
    ['bridge', 3, 'Low'],
    ['exchange', 3, 'Low'],
    ['defi', 3, 'Low'],
    ['service', 3, 'Low'],
    ['something else', 3, 'Low'],
  ])('%s: %i %s', async (category, score, level) => {
    expect(await scored(star([label(category)], []))).toMatchObject({ score, level, coverage: 'labels', address_label: category });
  });

  it('an unconfirmed claim is a suspicion: High, and called one', async () => {
    const result = await scored(star([label('scam', 'someone says', 0.3)], []));
    expect(result).toMatchObject({ level: 'High', detail_list: ['Suspected Malicious Address', 'Involved Illicit Activity'] });
  });

  it('the incident is the name of the theft label, and the label shown is the worst', async () => {
    const result = await scored(star([label('exchange', 'Some Exchange'), label('theft', 'Ronin Bridge Hack')], []));
    expect(result).toMatchObject({ hacking_event: 'Ronin Bridge Hack', address_label: 'Ronin Bridge Hack' });
  });

  it('nothing known: 3, Low, empty, coverage none', async () => {
    expect(await scored(star([], []))).toMatchObject({
      score: 3,
      level: 'Low',
      detail_list: [],
      exposures: [],
      coverage: 'none',
      hacking_event: '',
      address_label: '',
    });
  });
});

describe('an address by its counterparties', () => {
  it.each([
    ['sanctioned', 1, 'Severe'],
    ['theft', 0.9, 'Severe'],
    ['sanctioned', 0.3, 'High'],
    ['sanctioned', 0.05, 'Moderate'],
    ['sanctioned', 0.01, 'Low'],
    ['scam', 1, 'High'],
    ['mixer', 1, 'High'],
    ['gambling', 1, 'Moderate'],
    ['risk_exchange', 1, 'Moderate'],
    ['bridge', 1, 'Low'],
    ['exchange', 1, 'Low'],
  ])('%s with a share of %d: %s', async (category, share, level) => {
    const result = await scored(
      star(
        [],
        [
          [label(category), share * 1000],
          [undefined, (1 - share) * 1000],
        ],
      ),
    );
    expect(result).toMatchObject({ level, coverage: 'transfers' });
  });

  it('lists an entity once, with both directions and all its addresses', async () => {
    const result = await scored(
      star(
        [],
        [
          [label('mixer', 'Tornado.Cash'), 100],
          [label('mixer', 'Tornado.Cash'), 200],
          [undefined, 700],
        ],
      ),
    );
    expect(result.exposures).toEqual([
      { entity: 'Tornado.Cash', risk_type: 'mixer', exposure_type: 'direct', hop_num: 1, volume: 300, percent: 30, sources: ['test'] },
    ]);
    expect(result.detail_list).toEqual(['Interact With High-risk Tag Address']);
  });

  it('a hundred gambling sites are as bad as one', async () => {
    const many = await scored(
      star(
        [],
        Array.from({ length: 100 }, (_, i) => [label('gambling', `site ${i}`), 10] as const),
      ),
    );
    expect(many.score).toBe((await scored(star([], [[label('gambling'), 1000]]))).score);
  });

  it('counts transfers where no value is known, with volume 0', async () => {
    const result = await scored(
      star(
        [],
        [
          [label('theft', 'Heist'), null],
          [undefined, null],
          [undefined, null],
          [undefined, null],
        ],
      ),
    );
    expect(result.exposures[0]).toMatchObject({ entity: 'Heist', volume: 0, percent: 25 });
    expect(result).toMatchObject({ level: 'High', hacking_event: 'Heist' });
  });

  it('tokens are not counterparties, and not part of the whole', async () => {
    const result = await scored(
      star(
        [],
        [
          [label('sanctioned', 'X'), 100],
          [label('token', 'USDT'), 9_900],
        ],
      ),
    );
    expect(result.exposures).toMatchObject([{ entity: 'X', percent: 100 }]);
  });

  it("a service's customers are not its own exposure", async () => {
    expect(await scored(star([label('exchange')], [[label('sanctioned'), 1000]]))).toMatchObject({
      score: 3,
      exposures: [],
      coverage: 'full',
      sides: { in: { total: { usd: 1000 }, services: 1, bound: 0, expanded: 0 } },
    });
  });
});

const categoryArb = fc.constantFrom(...categoryNames);
const labelArb = fc.record({
  category: categoryArb,
  name: fc.constantFrom('A', 'B', 'C'),
  confidence: fc.constantFrom(0.2, 0.6, 1),
  source: fc.constant('s'),
});
const dealingArb = fc.tuple(
  fc.option(labelArb, { nil: undefined }),
  fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null }),
);
const findingsArb = fc.uniqueArray(fc.record({ key: fc.string({ minLength: 1 }), strength: fc.double({ min: 0, max: 1, noNaN: true }) }), {
  selector: (f) => f.key,
});

describe('for all facts', () => {
  it('the score is a whole number from 3 to 100, its level is its band, and contributions add up to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(labelArb, { maxLength: 3 }), fc.array(dealingArb, { maxLength: 8 }), async (own, flows) => {
        const result = await scored(star(own, flows));
        expect(Number.isInteger(result.score) && result.score >= 3 && result.score <= 100).toBe(true);
        expect(result.level).toBe(levelOf(result.score));
        expect(result.contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(result.score, 9);
        expect(result.detail_list.every((detail) => detailOrder.includes(detail))).toBe(true);
        for (const line of result.exposures) {
          expect(riskTypes).toContain(line.risk_type);
          expect(line.percent >= 0 && line.percent <= 100.0001 && Number.isFinite(line.volume)).toBe(true);
        }
      }),
    );
  });

  it('the order of facts does not matter', async () => {
    fc.assert(
      fc.property(findingsArb, fc.infiniteStream(fc.nat()), (findings, noise) => {
        const keyed = findings.map((finding) => ({ finding, at: noise.next().value as number }));
        const shuffled = keyed.toSorted((a, b) => a.at - b.at).map(({ finding }) => finding);
        expect(combine(shuffled)).toEqual(combine(findings));
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(labelArb, { maxLength: 4 }), async (own) => {
        expect(await scored(star(own.toReversed(), []))).toEqual(await scored(star(own, [])));
      }),
    );
  });

  it('more of anything bad never lowers the score', () => {
    fc.assert(
      fc.property(findingsArb, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (findings, pick, more) => {
        if (findings.length === 0) return;
        const at = pick % findings.length;
        const worse = findings.map((finding, index) =>
          index === at ? { ...finding, strength: Math.max(finding.strength, more) } : finding,
        );
        expect(combine(worse).score).toBeGreaterThanOrEqual(combine(findings).score);
      }),
    );
  });

  it('a counterparty found to be bad never lowers the score, and saturation rises with the share', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 8 }),
        fc.nat(),
        categoryArb,
        async (volumes, pick, category) => {
          fc.pre(canonicalCategory(category) !== 'token');
          const before = volumes.map((usd) => [undefined, usd] as const);
          const after = before.map(([, usd], index) => [index === pick % volumes.length ? label(category) : undefined, usd] as const);
          const [better, worse] = [await scored(star([], before)), await scored(star([], after))];
          expect(worse.score).toBeGreaterThanOrEqual(better.score);
        },
      ),
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (a, b) => {
        expect(saturate(Math.max(a, b))).toBeGreaterThanOrEqual(saturate(Math.min(a, b)));
      }),
    );
  });

  it('contact alone is Severe only with sanctions, terrorism or theft', () => {
    const severe = categoryNames.filter((name) => levelOf(combine([{ key: name, strength: weightOf(name).exposure }]).score) === 'Severe');
    expect(severe).toEqual(['sanctioned', 'terrorism', 'theft']);
  });
});
