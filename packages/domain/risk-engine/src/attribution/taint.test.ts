import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../movement.testing.ts';
import { addTo, clean, tagsFor, type Taint, usdOf, wholly } from './taint.ts';

const kinds = 64;

it('sums are those of all tags, however many sets of tags there are', () => {
  const additions = fc.array(fc.tuple(fc.nat(kinds), fc.integer({ min: 1, max: 1_000 }), fc.nat(99)), {
    minLength: 3_000,
    maxLength: 4_000,
  });
  fc.assert(
    fc.property(additions, (given) => {
      const tags = tagsFor(kinds);
      const pools = Array.from({ length: 100 }, () => clean(tags));
      const expected = pools.map(() => Array.from({ length: kinds + 1 }, () => 0));
      const sets = new Set<Taint['has']>();
      for (const [tag, usd, pool] of given) {
        const into = pools[pool] as Taint;
        addTo(into, wholly(tags, tag, usd), 0.5);
        (expected[pool] as number[])[tag] = (expected[pool]?.[tag] ?? 0) + usd * 0.5;
        sets.add(into.has);
      }
      expect(pools.map((pool) => Array.from({ length: kinds + 1 }, (_, tag) => usdOf(pool, 'mass', tag)))).toEqual(expected);
      expect(sets.size).toBeLessThanOrEqual(2_001);
    }),
    { seed, numRuns: 20, endOnFailure: true },
  );
});
