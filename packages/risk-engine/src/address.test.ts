import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assess, categoryNames, combine, type Counterparty, detailOrder, type Flow, type Label, levelOf, riskTypes } from './index.ts';
import { canonicalCategory, saturate, weightOf } from './weights.ts';

const label = (category: string, name = category, confidence = 1): Label => ({ name, category, confidence, source: 'test' });

/** Facts of an address whose counterparties are `[category or undefined, usd or null, name?]`. */
function factsOf(own: readonly Label[], dealings: readonly (readonly [Label | undefined, number | null])[]) {
  const items: Counterparty[] = dealings.map(([, usd], index) => ({
    address: `c${index}`,
    direction: index % 2 === 0 ? 'in' : 'out',
    usd: usd ?? 0,
    transfers: 1,
    unknownTransfers: usd === null ? 1 : 0,
  }));
  const total = items.reduce<Flow>(
    (sum, item) => ({
      usd: sum.usd + item.usd,
      transfers: sum.transfers + 1,
      unknownTransfers: sum.unknownTransfers + item.unknownTransfers,
    }),
    { usd: 0, transfers: 0, unknownTransfers: 0 },
  );
  const counterpartyLabels = new Map(dealings.flatMap(([known], index) => (known === undefined ? [] : [[`c${index}`, [known]] as const])));
  return { labels: own, counterparties: { total, items }, counterpartyLabels };
}

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
  ])('%s: %i %s', (category, score, level) => {
    expect(assess(factsOf([label(category)], []))).toMatchObject({ score, level, coverage: 'labels', addressLabel: category });
  });

  it('an unconfirmed claim is a suspicion: High, and called one', () => {
    const result = assess(factsOf([label('scam', 'someone says', 0.3)], []));
    expect(result).toMatchObject({ level: 'High', detailList: ['Suspected Malicious Address', 'Involved Illicit Activity'] });
  });

  it('the incident is the name of the theft label, and the label shown is the worst', () => {
    const result = assess(factsOf([label('exchange', 'Some Exchange'), label('theft', 'Ronin Bridge Hack')], []));
    expect(result).toMatchObject({ hackingEvent: 'Ronin Bridge Hack', addressLabel: 'Ronin Bridge Hack' });
  });

  it('nothing known: 3, Low, empty, coverage none', () => {
    expect(assess(factsOf([], []))).toMatchObject({
      score: 3,
      level: 'Low',
      detailList: [],
      exposures: [],
      coverage: 'none',
      hackingEvent: '',
      addressLabel: '',
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
  ])('%s with a share of %d: %s', (category, share, level) => {
    const result = assess(
      factsOf(
        [],
        [
          [label(category), share * 1000],
          [undefined, (1 - share) * 1000],
        ],
      ),
    );
    expect(result).toMatchObject({ level, coverage: 'transfers' });
  });

  it('lists an entity once, with both directions and all its addresses', () => {
    const result = assess(
      factsOf(
        [],
        [
          [label('mixer', 'Tornado.Cash'), 100],
          [label('mixer', 'Tornado.Cash'), 200],
          [undefined, 700],
        ],
      ),
    );
    expect(result.exposures).toEqual([
      { entity: 'Tornado.Cash', riskType: 'mixer', exposureType: 'direct', hopNum: 1, volume: 300, percent: 30 },
    ]);
    expect(result.detailList).toEqual(['Interact With High-risk Tag Address']);
  });

  it('a hundred gambling sites are as bad as one', () => {
    const many = assess(
      factsOf(
        [],
        Array.from({ length: 100 }, (_, i) => [label('gambling', `site ${i}`), 10] as const),
      ),
    );
    expect(many.score).toBe(assess(factsOf([], [[label('gambling'), 1000]])).score);
  });

  it('counts transfers where no value is known, with volume 0', () => {
    const result = assess(
      factsOf(
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
    expect(result).toMatchObject({ level: 'High', hackingEvent: 'Heist' });
  });

  it('tokens are not counterparties, and not part of the whole', () => {
    const result = assess(
      factsOf(
        [],
        [
          [label('sanctioned', 'X'), 100],
          [label('token', 'USDT'), 9_900],
        ],
      ),
    );
    expect(result.exposures).toMatchObject([{ entity: 'X', percent: 100 }]);
  });

  it("a service's customers are not its own exposure", () => {
    expect(assess(factsOf([label('exchange')], [[label('sanctioned'), 1000]]))).toMatchObject({
      score: 3,
      exposures: [],
      coverage: 'full',
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
  it('the score is a whole number from 3 to 100, its level is its band, and contributions add up to it', () => {
    fc.assert(
      fc.property(fc.array(labelArb, { maxLength: 3 }), fc.array(dealingArb, { maxLength: 8 }), (own, dealings) => {
        const result = assess(factsOf(own, dealings));
        expect(Number.isInteger(result.score) && result.score >= 3 && result.score <= 100).toBe(true);
        expect(result.level).toBe(levelOf(result.score));
        expect(result.contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(result.score, 9);
        expect(result.detailList.every((detail) => detailOrder.includes(detail))).toBe(true);
        for (const line of result.exposures) {
          expect(riskTypes).toContain(line.riskType);
          expect(line.percent >= 0 && line.percent <= 100.0001 && Number.isFinite(line.volume)).toBe(true);
        }
      }),
    );
  });

  it('the order of facts does not matter', () => {
    fc.assert(
      fc.property(findingsArb, fc.infiniteStream(fc.nat()), (findings, noise) => {
        const keyed = findings.map((finding) => ({ finding, at: noise.next().value as number }));
        const shuffled = keyed.toSorted((a, b) => a.at - b.at).map(({ finding }) => finding);
        expect(combine(shuffled)).toEqual(combine(findings));
      }),
    );
    fc.assert(
      fc.property(fc.array(labelArb, { maxLength: 4 }), (own) => {
        expect(assess(factsOf(own.toReversed(), []))).toEqual(assess(factsOf(own, [])));
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

  it('a counterparty found to be bad never lowers the score, and saturation rises with the share', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 8 }),
        fc.nat(),
        categoryArb,
        (volumes, pick, category) => {
          fc.pre(canonicalCategory(category) !== 'token');
          const before = volumes.map((usd) => [undefined, usd] as const);
          const after = before.map(([, usd], index) => [index === pick % volumes.length ? label(category) : undefined, usd] as const);
          expect(assess(factsOf([], after)).score).toBeGreaterThanOrEqual(assess(factsOf([], before)).score);
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
