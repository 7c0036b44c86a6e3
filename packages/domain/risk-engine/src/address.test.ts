import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Asked, label, line, rowsOf, scored, scoredRows } from './graph.testing.ts';
import { categoryNames, detailOrder, levelOf, riskTypes, scoreAddress } from './index.ts';
import { move, moves, movementsArb, type Row, seed } from './movement.testing.ts';
import type { Label } from './store.ts';
import { memoryStore } from './testing.ts';

const own = (...labels: readonly Label[]): Asked => ({ labels: { s: labels } });

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
    expect(await scoredRows([], own(label(category)))).toMatchObject({ score, level, coverage: 'labels', address_label: category });
  });

  it('an unconfirmed claim is a suspicion: High, and called one', async () => {
    const result = await scoredRows([], own(label('scam', 'someone says', 0.3)));
    expect(result).toMatchObject({ level: 'High', detail_list: ['Suspected Malicious Address', 'Involved Illicit Activity'] });
  });

  it('a service that several sources know and one crawl accuses is reviewed, with its own name, and its customers are not read', async () => {
    const known = ['one', 'two'].map((source) => ({ ...label('exchange', 'Binance'), source, confidence: 0.9 }));
    const crawled = (confidence: number) => ({ ...label('theft', 'Some hack', confidence), source_kind: 'crawl' as const });
    for (const confidence of [0.4, 1]) {
      const result = await scoredRows([['thief', 's', 50_000]], {
        labels: { s: [...known, crawled(confidence)], thief: label('theft') },
      });
      expect(result).toMatchObject({
        score: 31,
        level: 'Moderate',
        address_label: 'Binance',
        hacking_event: '',
        detail_list: ['Suspected Malicious Address'],
        exposures: [],
        contributions: [{ key: 'base' }, { key: 'own:contested', points: expect.closeTo(28) }],
        counterfactuals: [{ without: 'own:contested', score: 3, level: 'Low' }],
        contradictions: [{ standing: 'service', accusation: { categories: ['theft'], sources: ['test'] } }],
      });
      expect(result.labels).toHaveLength(2);
    }
  });

  it('an accused address that one source calls a service is scored by its transfers too', async () => {
    const result = await scoredRows([['thief', 's', 50_000]], {
      labels: { s: [label('exchange', 'X', 0.6), { ...label('scam', 'Y', 0.9), source: 'another' }], thief: label('theft') },
    });
    expect(result).toMatchObject({ level: 'Severe', contradictions: [{ standing: 'accusation' }], exposures: [{ entity: 'theft' }] });
  });

  it('money from a contested service is a service’s, and from an overturned one a thief’s', async () => {
    const exchange = label('exchange', 'X', 0.9);
    const rows: readonly Row[] = [['payer', 's', 50_000]];
    const crawl = { ...label('theft'), source: 'crawl', source_kind: 'crawl' as const };
    expect(await scoredRows(rows, { labels: { payer: [exchange, crawl] } })).toMatchObject({ score: 3, exposures: [] });
    const listing = { ...label('sanctioned'), source: 'list', source_kind: 'authority' as const };
    expect(await scoredRows(rows, { labels: { payer: [exchange, listing] } })).toMatchObject({
      level: 'Severe',
      exposures: [{ category: 'sanctioned' }],
    });
  });

  it('the incident is the name of the theft label, and the label shown is the worst', async () => {
    const result = await scoredRows([], own(label('exchange', 'Some Exchange'), label('theft', 'Ronin Bridge Hack')));
    expect(result).toMatchObject({ hacking_event: 'Ronin Bridge Hack', address_label: 'Ronin Bridge Hack' });
  });
});

describe('coverage', () => {
  it('is none only without labels and transfers', async () => {
    expect(await scoredRows([])).toMatchObject({ score: 3, level: 'Low', detail_list: [], exposures: [], coverage: 'none' });
    expect(await scoredRows([['other', 's', null]])).toMatchObject({ score: 3, coverage: 'transfers' });
    expect(await scoredRows([['s', 'other', 1]])).toMatchObject({ coverage: 'transfers' });
    expect(await scoredRows([['s', 'other', 1]], own(label('ordinary')))).toMatchObject({ coverage: 'full' });
  });

  it('of a service is that of its transfers, though its customers are not its own exposure', async () => {
    const found = await scoredRows([['listed', 's', 1_000]], { labels: { s: label('exchange'), listed: label('sanctioned') } });
    expect(found).toMatchObject({
      score: 3,
      exposures: [],
      coverage: 'full',
      sides: { in: { total: { usd: 1_000, transfers: 1 }, addresses: 0 }, out: { total: { transfers: 0 } } },
    });
    expect(await scoredRows([], own(label('exchange')))).toMatchObject({ coverage: 'labels' });
  });

  it('counts transfers with tokens, which are nobody and no part of a side', async () => {
    const labels = { usdt: label('token'), listed: label('sanctioned', 'X') };
    expect(await scoredRows([['s', 'usdt', 9_900]], { labels })).toMatchObject({ coverage: 'transfers', exposures: [] });
    const both = await scoredRows(
      [
        ['usdt', 's', 9_900],
        ['listed', 's', 100],
      ],
      { labels },
    );
    expect(both).toMatchObject({ exposures: [{ entity: 'X', side_percent: 100 }], sides: { in: { total: { usd: 100, transfers: 1 } } } });
  });
});

describe('a sanctioned address that was paid', () => {
  it('50 USD beside 200,000,000 is listed as paid, with its transfer', async () => {
    const found = await scored([move(0, 'exchange', 's', 2e8), move(1, 's', 'exchange', 2e8), move(2, 's', 'listed', 50)]);
    expect(found.exposures).toMatchObject([
      {
        side: 'out',
        risk_type: 'sanctioned_entity',
        exposure_type: 'direct',
        hop_num: 1,
        volume: 50,
        percent: 0,
        counterparty: 'listed',
        path: [{ tx: 'tx2', from: 's', to: 'listed', usd: 50 }],
      },
    ]);
    expect(found.detail_list).toContain('Interact With Malicious Address');
  });

  it('is listed for the sender of a deposit too, though only the source of his funds is scored', async () => {
    const rows: Row[] = [
      ['exchange', 's', 10_000],
      ['s', 'listed', 5_000],
      ['s', 'm', 5_000],
      ['m', 'thief', 5_000],
    ];
    const deposit = await scoredRows(rows, { sides: ['in'] });
    expect(deposit).toMatchObject({ score: 3, exposures: [{ side: 'out', entity: 'sanctioned', volume: 5_000 }] });
    expect(deposit.sides.out).toMatchObject({ counted: false, unread: 0.5 });
    expect((await scoredRows(rows)).level).toBe('Severe');
  });

  it('among thousands of payments of a busy address is found by the sums', async () => {
    const many = Array.from({ length: 6_000 }, (_, index) => move(index + 1, 's', `shop${index % 30}`, 100));
    const found = await scored([move(0, 's', 'listed', 50), ...many]);
    expect(found.exposures).toMatchObject([{ side: 'out', entity: 'sanctioned', volume: 50, counterparty: 'listed' }]);
  });
});

describe('descriptions and incidents', () => {
  const behind = (share: number): Row[] => [
    ['thief', 'a', share],
    ['a', 's', share],
    ['other', 's', 100 - share],
  ];

  it('come with traced money from 1 % of the side on, and with direct money always', async () => {
    expect(await scoredRows(behind(0.9))).toMatchObject({ detail_list: [], hacking_event: '', exposures: [{ side_percent: 0.9 }] });
    expect(await scoredRows(behind(1))).toMatchObject({ detail_list: ['Interact With Malicious Address'], hacking_event: 'theft' });
    expect((await scoredRows(behind(0.9), { labels: { a: label('theft') } })).detail_list).toEqual(['Interact With Malicious Address']);
  });

  it('come with traced money from 10,000 USD on, which is High at any share', async () => {
    const found = await scoredRows([...line(10_000, 'thief', 'a', 's'), ['exchange', 's', 1e8]]);
    expect(found).toMatchObject({ score: 71, detail_list: ['Interact With Malicious Address'], hacking_event: 'theft' });
  });

  it('name the incident: its own first, then the largest direct one, then the largest behind', async () => {
    const rows: Row[] = [['small', 's', 1], ...line(60, 'big', 'a', 's'), ...line(39, 'lesser', 'b', 's')];
    const labels = { small: label('theft', 'Small'), big: label('theft', 'Big'), lesser: label('theft', 'Lesser') };
    const { small: _, ...traced } = labels;
    expect((await scoredRows(rows, { labels })).hacking_event).toBe('Small');
    expect((await scoredRows(rows, { labels: traced })).hacking_event).toBe('Big');
    expect((await scoredRows(rows, { labels: { ...labels, s: label('theft', 'Own') } })).hacking_event).toBe('Own');
  });
});

it('an exposure has its part of its side, and of the volume on both sides', async () => {
  const rows: Row[] = [
    ['thief', 's', 100],
    ['exchange', 's', 300],
    ['s', 'mixer', 400],
  ];
  expect((await scoredRows(rows)).exposures).toMatchObject([
    { side: 'out', entity: 'mixer', percent: 50, side_percent: 100 },
    { side: 'in', entity: 'theft', percent: 12.5, side_percent: 25 },
  ]);
});

describe('labels', () => {
  it('of tokens do not hide a thief, nor unsure ones of exchanges', async () => {
    const thieves = { thief: [label('theft'), label('token')] };
    expect(await scoredRows([['thief', 's', 1e6]], { labels: thieves })).toMatchObject({
      level: 'Severe',
      exposures: [{ entity: 'theft' }],
    });
    const rows = line(1e6, 'thief', 'm', 's');
    const unsure = { thief: label('theft'), m: label('exchange', 'says one', 0.3) };
    expect((await scoredRows(rows, { labels: unsure })).score).toBe((await scoredRows(rows)).score);
  });

  it('that have ended do not count', async () => {
    const rows = rowsOf(moves(line(100, 'thief', 'former', 's')));
    const former = { chain: 'c', address: 'former', ...label('mixer'), valid_from: null, valid_to: 1_000 };
    const store = memoryStore({ ...rows, labels: [...rows.labels, former] });
    expect(await scoreAddress(store, 'c', 's', 1_000)).toMatchObject({ exposures: [{ entity: 'theft', hop_num: 2 }] });
    expect(await scoreAddress(store, 'c', 's', 999)).toMatchObject({ exposures: [{ entity: 'mixer', hop_num: 1 }] });
  });
});

describe('without one of its findings', () => {
  it('the score is said where the level changes', async () => {
    const found = await scoredRows([['gambling', 's', 900]], { labels: { s: label('theft'), gambling: label('gambling') } });
    expect(found.counterfactuals).toEqual([{ without: 'own:theft', score: 38, level: 'Moderate' }]);
  });

  it('the floor in USD that rests on it goes too', async () => {
    const found = await scoredRows([
      ['thief', 's', 20_000],
      ['exchange', 's', 1e9],
    ]);
    expect(found.contributions.map(({ key }) => key)).toEqual(['base', 'in:direct:theft', 'in:floor:illicit_usd']);
    expect(found.counterfactuals).toEqual([{ without: 'in:direct:theft', score: 3, level: 'Low' }]);
  });

  it('the other side may decide', async () => {
    const rows: Row[] = [
      ['thief', 's', 5_000],
      ['s', 'mixer', 5_000],
    ];
    expect((await scoredRows(rows)).counterfactuals).toEqual([{ without: 'in:direct:theft', score: 75, level: 'High' }]);
  });

  it('unread money is one, behind an unlabelled hub', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => move(index, `c${index}`, 'hub', 10));
    const found = await scored([...many, move(4_000, 'hub', 's', 20_000)]);
    expect(found).toMatchObject({ score: 31, contributions: [{ key: 'base' }, { key: 'in:floor:unread', points: 28 }] });
    expect(found.bound).toBeGreaterThan(0.8);
    expect(found.counterfactuals).toEqual([{ without: 'in:floor:unread', score: 3, level: 'Low' }]);
  });
});

it('hostile values neither break the sums nor the score', async () => {
  const rows: Row[] = [
    ['thief', 's', 1e300],
    ['a', 's', 1e300],
    ['s', '__proto__', 5e-324],
    ['s', 'b\u0000', null],
    ['s', 'constructor', 0],
  ];
  const found = await scoredRows(rows, { labels: { thief: label('theft', '__proto__') } });
  expect(found.score).toBeGreaterThan(3);
  expect(found.exposures.every(({ side_percent, volume }) => side_percent > 0 && volume > 0)).toBe(true);
});

describe('for all labels and transfers', () => {
  const labelArb = fc.record({
    category: fc.constantFrom(...categoryNames),
    name: fc.constantFrom('A', 'B', 'C'),
    confidence: fc.constantFrom(0.2, 0.6, 1),
    source: fc.constantFrom('one', 'two'),
  });
  const worldArb = fc.record({
    movements: movementsArb(['s', 'a', 'b', 'c', 'd', 'e'], 30),
    labels: fc.dictionary(fc.constantFrom('s', 'c', 'd', 'e'), fc.array(labelArb, { maxLength: 2 }), { maxKeys: 4 }),
  });

  it('the score is a whole number from 3 to 100 in its band, and contributions add up to it', async () => {
    await fc.assert(
      fc.asyncProperty(worldArb, async ({ movements, labels }) => {
        const found = await scored(movements, { labels });
        expect(Number.isInteger(found.score) && found.score >= 3 && found.score <= 100).toBe(true);
        expect(found.level).toBe(levelOf(found.score));
        expect(found.contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(found.score, 9);
        expect(found.detail_list.every((detail) => detailOrder.includes(detail))).toBe(true);
        expect(found.exposures.every(({ risk_type }) => riskTypes.includes(risk_type))).toBe(true);
        for (const { without, score, level } of found.counterfactuals) {
          expect(found.contributions.map(({ key }) => key)).toContain(without);
          expect([score < found.score, level]).toEqual([true, levelOf(score)]);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('the parts of a side are shares, and its score lies below the upper one', async () => {
    await fc.assert(
      fc.asyncProperty(worldArb, async ({ movements, labels }) => {
        for (const { direct, traced, unread, score, upper_score } of Object.values((await scored(movements, { labels })).sides)) {
          expect(Math.min(direct, traced, unread)).toBeGreaterThanOrEqual(0);
          expect(direct + traced + unread).toBeLessThanOrEqual(1 + 1e-9);
          expect(score).toBeLessThanOrEqual(Math.max(upper_score, 31) + 1e-9);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('the order of facts does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(worldArb, async ({ movements, labels }) => {
        const reversed = Object.fromEntries(
          Object.entries(labels)
            .map(([address, known]) => [address, known.toReversed()] as const)
            .toReversed(),
        );
        expect(await scored(movements.toReversed(), { labels: reversed })).toEqual(await scored(movements, { labels }));
      }),
      { seed, numRuns: 300 },
    );
  });
});
