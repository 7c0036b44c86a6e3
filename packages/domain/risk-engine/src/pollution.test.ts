import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Graph, label, rowsOf, scored } from './graph.testing.ts';
import { scoreTransaction } from './index.ts';
import { memoryStore } from './testing.ts';

type Transfer = Graph['transfers'][number];
const times = (count: number, make: (index: number) => Transfer): Transfer[] => Array.from({ length: count }, (_, index) => make(index));

const loot: Transfer = ['thief', 'subject', 1e6];
const labels = { thief: label('theft') };

describe('somebody who wants a better score than he has', () => {
  it('does not get it by sending himself worthless tokens', async () => {
    const fakes = times(1_000, (index) => [`fake${index}`, 'subject', null]);
    const result = await scored({ transfers: [loot, ...fakes], labels });
    expect(result).toMatchObject({ level: 'Severe', exposures: [{ entity: 'theft', percent: 50, volume: 1e6 }] });
  });

  it.each([1, 10, 100, 1_000])('does not get it by sending the loot round in a circle %i times', async (rounds) => {
    const circle = times(2 * rounds, (index) => (index % 2 === 0 ? ['subject', 'friend', 1e6] : ['friend', 'subject', 1e6]));
    const result = await scored({ transfers: [loot, ...circle], labels });
    expect(result.level).toBe('Severe');
    expect(result.sides.in.returned).toBeCloseTo(rounds / (rounds + 1), 9);
    // The share of all flows.
    expect(result.exposures[0]?.percent).toBeCloseTo(100 / (2 * rounds + 1), 3);
  });

  it.each([
    [900, 88],
    [1_100, 72],
    [2_000, 72],
  ])('does not get it by splitting the loot among %i mules, whoever gathers it again', async (count, score) => {
    const mules = Array.from({ length: count }, (_, index) => `mule${index}`);
    const paid = mules.map((mule): Transfer => ['thief', mule, 1]);
    expect(await scored({ transfers: [...paid, ...mules.map((mule): Transfer => [mule, 'subject', 1])], labels })).toMatchObject({ score });
    const gathered = await scored({
      transfers: [...paid, ...mules.map((mule): Transfer => [mule, 'boss', 1]), ['boss', 'subject', count]],
      labels,
    });
    expect(gathered.score).toBeGreaterThan(60);
    expect(gathered.sides.in.bound).toBeCloseTo(count > 1_000 ? 0.5 : 0, 2);
  });

  it('does not get it by a longer circle, nor for what is behind others', async () => {
    const circle = times(100, () => ['subject', 'a', 100]).concat(
      times(100, () => ['a', 'b', 100]),
      times(100, () => ['b', 'subject', 100]),
    );
    const before = await scored({
      transfers: [
        ['thief', 'mule', 100],
        ['mule', 'subject', 100],
      ],
      labels,
    });
    const after = await scored({ transfers: [['thief', 'mule', 100], ['mule', 'subject', 100], ...circle], labels });
    expect(after.score).toBe(before.score);
  });

  it.each(['exchange', 'token', 'service', 'defi'])('does not get it by an unsure tag as %s, whoever bears it', async (category) => {
    const unsure = label(category, 'Unsure', 0.3);
    const honest = await scored({
      transfers: [
        ['thief', 'mule', 100],
        ['mule', 'subject', 100],
      ],
      labels,
    });
    for (const bearer of ['mule', 'subject']) {
      const tagged = await scored({
        transfers: [
          ['thief', 'mule', 100],
          ['mule', 'subject', 100],
        ],
        labels: { ...labels, [bearer]: unsure },
      });
      expect(tagged.score).toBe(honest.score);
    }
  });

  it('does not get it by somebody who calls the thief a token', async () => {
    const result = await scored({ transfers: [loot], labels: { thief: [label('theft'), label('token')] } });
    expect(result).toMatchObject({ level: 'Severe', exposures: [{ entity: 'theft' }] });
  });

  it('does not get it by many gambling sites beside the thief in one transaction', async () => {
    const sites = Array.from({ length: 60 }, (_, index) => `site${index}`);
    const rows = rowsOf({
      transfers: [...sites.map((site) => [site, 'exchange', 1_000] as const), ['thief', 'exchange', 1]],
      labels: { ...labels, ...Object.fromEntries(sites.map((site) => [site, label('gambling', site)])) },
    });
    const store = memoryStore({ ...rows, transfers: rows.transfers.map((row) => ({ ...row, txid: 'tx' })) });
    expect(await scoreTransaction(store, 'ethereum', 'tx', 'deposit', 0)).toMatchObject({ level: 'Severe', worstAddress: 'thief' });
  });
});

describe('somebody who wants another to have a worse score', () => {
  it('does not get it by dust, not even where the other only moves his own money to and fro', async () => {
    const dust: Transfer = ['thief', 'subject', 1e-9];
    expect(await scored({ transfers: [dust, ['friend', 'subject', 100]], labels })).toMatchObject({ score: 3 });
    const own: Transfer[] = [
      ['subject', 'friend', 100],
      ['friend', 'subject', 100],
    ];
    expect(await scored({ transfers: [dust, ...own], labels })).toMatchObject({ score: 3 });
  });

  it('does not get it by transfers of nothing to itself', async () => {
    const self = times(100, () => ['subject', 'subject', 1e9]);
    expect(await scored({ transfers: [loot, ...self], labels })).toEqual(await scored({ transfers: [loot], labels }));
  });
});

describe('a circle through the subject', () => {
  it('never lowers a score, and contributions still add up', async () => {
    const usd = fc.integer({ min: 1, max: 1_000 });
    await fc.assert(
      fc.asyncProperty(usd, usd, usd, fc.integer({ min: 1, max: 50 }), async (stolen, earned, sent, rounds) => {
        const transfers: Transfer[] = [
          ['thief', 'subject', stolen],
          ['employer', 'subject', earned],
          ['subject', 'shop', sent],
        ];
        const round = stolen + earned;
        const circle = times(2 * rounds, (index) => (index % 2 === 0 ? ['subject', 'friend', round] : ['friend', 'subject', round]));
        const honest = await scored({ transfers, labels });
        const circled = await scored({ transfers: [...transfers, ...circle], labels });
        expect(circled.score).toBe(honest.score);
        expect(circled.contributions.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(circled.score, 9);
      }),
    );
  });
});
