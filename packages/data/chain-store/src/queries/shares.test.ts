import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bySize, percents } from './shares.ts';

const flow = fc.record({
  usd: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e12, noNaN: true })),
  transfers: fc.integer({ min: 1, max: 1e9 }),
  unknownTransfers: fc.constant(0),
});

it('percents add up to 100, and are off by less than a hundredth', () => {
  fc.assert(
    fc.property(fc.array(flow, { minLength: 1, maxLength: 120 }), (flows) => {
      const shares = percents(flows);
      expect(Math.round(shares.reduce((sum, share) => sum + share * 100, 0))).toBe(10_000);
      const byValue = flows.some(({ usd }) => usd > 0);
      const whole = flows.reduce((sum, { usd, transfers }) => sum + (byValue ? usd : transfers), 0);
      shares.forEach((share, n) => {
        const exact = (((byValue ? flows[n]?.usd : flows[n]?.transfers) ?? 0) / whole) * 100;
        expect(Math.abs(share - exact)).toBeLessThan(0.010_001);
      });
    }),
  );
});

it('nothing has no shares', () => {
  expect(percents([])).toEqual([]);
});

it('values that are not known are no zeros beside one that is', () => {
  const known = { usd: 1, transfers: 1, unknownTransfers: 0 };
  const unvalued = { usd: 0, transfers: 99, unknownTransfers: 99 };
  const [small = 0, large = 0] = percents([known, unvalued]);
  expect(large).toBeGreaterThanOrEqual(50);
  expect(small + large).toBe(100);
  expect(bySize({ usd: 1, transfers: 100, unknownTransfers: 99 })(unvalued, known)).toBeLessThan(0);
  expect(percents([{ ...known, usd: 0, unknownTransfers: 1 }, unvalued])).toEqual([1, 99]);
});
