import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { label, line, type Named, rowsOf, scoredRows } from '../graph.testing.ts';
import { scoreAddress } from '../index.ts';
import { movementsArb, type Row, seed } from '../movement.testing.ts';
import { memoryStore } from '../testing.ts';

const named = (w: Named[string]): Named => ({ thief: label('theft'), exchange: label('exchange'), w });
const through = line(100_000, 'thief', 'w', 's');
const turnover = Array.from({ length: 20 }, (_, at): Row[] => line(100_000, 'exchange', 's', `shop${at}`)).flat();
const suspicions = ['theft', 'scam', 'gambling', 'mixer', 'risk_exchange', 'bridge', 'exchange', 'sanctioned'];

describe('a wallet with a suspicion of its own', () => {
  it.each(suspicions)('of %s still carries what a thief paid to it', async (category) => {
    const labels = named(label(category, 'W', 0.4));
    expect((await scoredRows(through, { labels })).score).toBeGreaterThanOrEqual(87);
    expect(await scoredRows([...through, ...turnover], { labels })).toMatchObject({ level: 'High' });
  });

  it('that is a sure service pays the money of its customers', async () => {
    expect((await scoredRows(through, { labels: named(label('gambling')) })).score).toBe(38);
    expect((await scoredRows(through, { labels: named([label('gambling'), label('theft', 'W', 0.2)]) })).score).toBeLessThan(70);
  });

  it('counts by its label where nothing is known of its past, and in limits in USD in part', async () => {
    const labels = named(label('theft', 'W', 0.4));
    const { level, illicit_usd, contributions } = await scoredRows([...line(20_000, 'w', 's'), ...turnover], { labels });
    expect({ level, illicit_usd }).toEqual({ level: 'High', illicit_usd: 15_000 });
    expect(contributions.map(({ key }) => key)).toContain('in:floor:illicit_usd');
    expect((await scoredRows([...line(13_000, 'w', 's'), ...turnover], { labels })).level).toBe('Moderate');
  });

  it('is listed beside the theft that was traced through it, and the lines add up to 100 %', async () => {
    const { exposures, sides } = await scoredRows(through, { labels: named(label('sanctioned', 'W', 0.4)) });
    expect(exposures.map(({ entity, exposure_type }) => [entity, exposure_type])).toEqual([
      ['theft', 'indirect'],
      ['W', 'direct'],
    ]);
    expect(exposures.reduce((sum, { side_percent }) => sum + side_percent, 0)).toBeLessThanOrEqual(100);
    expect(sides.in.illicit_usd).toEqual({ direct: 0, traced: 100_000 });
  });

  it('is itself scored by what it received', async () => {
    for (const category of suspicions) {
      const labels = { ...named([]), s: label(category, 'S', 0.4) };
      expect((await scoredRows(line(100_000, 'thief', 'm', 's'), { labels })).score).toBeGreaterThanOrEqual(87);
    }
  });

  it('never has a better effect on others than without it', async () => {
    const payments = movementsArb(['thief', 'exchange', 'a', 'b', 'c', 's'], 20);
    await fc.assert(
      fc.asyncProperty(payments, fc.constantFrom(...suspicions), fc.constantFrom('a', 'b'), async (movements, category, address) => {
        const base: Named = { thief: label('theft'), exchange: label('exchange') };
        const score = async (labels: Named): Promise<number> =>
          (await scoreAddress(memoryStore(rowsOf(movements, labels)), 'c', 's', 0)).exact;
        expect(await score({ ...base, [address]: label(category, 'X', 0.4) })).toBeGreaterThanOrEqual((await score(base)) - 1e-9);
      }),
      { seed, numRuns: 300 },
    );
  });
});
