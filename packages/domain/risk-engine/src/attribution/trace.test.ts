import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Graph, label, rowsOf } from '../graph.testing.ts';
import { type RiskStore, scoreAddress, type Side } from '../index.ts';
import { memoryStore } from '../testing.ts';
import { type Exact, exactSide } from './exact.testing.ts';
import { createLookup } from './lookup.ts';
import { traceAll } from './trace.ts';
import type { Trail } from './trail.ts';

const addresses = ['subject', 'a', 'b', 'c', 'd', 'e', 'f'];
const sides: readonly Side[] = ['in', 'out'];
const usd = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 0.01, 1e12) },
);
/** null: minting or burning. */
const end = fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...addresses) }, { weight: 1, arbitrary: fc.constant(null) });
const category = fc.constantFrom('theft', 'theft', 'sanctioned', 'mixer', 'exchange', 'ordinary', 'token');

/** Small and cyclic; some addresses share an entity. The subject has flows on both sides. */
const graphArb = fc.record({
  transfers: fc
    .tuple(usd, usd, fc.array(fc.tuple(end, end, usd), { minLength: 6, maxLength: 18, size: 'max' }))
    .map(([received, sent, others]) => [['a', 'subject', received] as const, ['subject', 'b', sent] as const, ...others]),
  labels: fc
    .array(fc.tuple(fc.constantFrom('d', 'e', 'f'), category), { minLength: 1, maxLength: 3 })
    .map((pairs) => Object.fromEntries(pairs.map(([address, name]) => [address, label(name)]))),
});

async function trails(graph: Graph, limits: { epsilon: number; hops: number }): Promise<Record<Side, Trail>> {
  const lookup = createLookup(memoryStore(rowsOf(graph)), 'ethereum', 0);
  const [traced] = await traceAll(lookup, [{ address: 'subject', labels: [] }], { unfollowed: 0.5, ...limits });
  if (traced === undefined) throw new Error('one subject gives one answer');
  return { in: traced.in.trail, out: traced.out.trail };
}

function byName({ arrivals }: Trail): Map<string, number> {
  const sums = new Map<string, number>();
  for (const arrival of arrivals) sums.set(arrival.label.name, (sums.get(arrival.label.name) ?? 0) + arrival.mass);
  return sums;
}

/** Never too high, and too low by at most the bound. */
function expectWithin(found: number, exact: number, bound: number): void {
  expect(found).toBeLessThanOrEqual(exact + 1e-9);
  expect(found).toBeGreaterThanOrEqual(exact - bound - 1e-9);
}

function expectBounded(trail: Trail, exact: Exact): void {
  const found = byName(trail);
  for (const name of new Set([...found.keys(), ...exact.entities.keys()])) {
    expectWithin(found.get(name) ?? 0, exact.entities.get(name) ?? 0, trail.bound);
  }
  expectWithin(trail.services, exact.services, trail.bound);
  expectWithin(trail.ends, exact.ends, trail.bound);
}

/** Lists everything in reverse. */
function backwards(store: RiskStore): RiskStore {
  return {
    ...store,
    async labelsOf(...asked) {
      return new Map([...(await store.labelsOf(...asked))].toReversed());
    },
    async flows(...asked) {
      const found = [...(await store.flows(...asked))].toReversed();
      return new Map(found.map(([address, { total, items }]) => [address, { total, items: items.toReversed() }]));
    },
  };
}

describe('attribution', () => {
  it('stays within its bound of the exact shares', async () => {
    await fc.assert(
      fc.asyncProperty(graphArb, fc.constantFrom(0.4, 0.1, 0.02, 0.001), fc.integer({ min: 1, max: 7 }), async (graph, epsilon, hops) => {
        const found = await trails(graph, { epsilon, hops });
        for (const side of sides) expectBounded(found[side], exactSide(rowsOf(graph), 'subject', side, hops));
      }),
      { numRuns: 300 },
    );
  });

  it('is exact when nothing is too small', async () => {
    await fc.assert(
      fc.asyncProperty(graphArb, async (graph) => {
        const found = await trails(graph, { epsilon: 1e-40, hops: 4 });
        for (const side of sides) {
          const exact = exactSide(rowsOf(graph), 'subject', side, 4);
          expect(found[side].bound).toBeCloseTo(exact.left, 9);
          expectBounded({ ...found[side], bound: 0 }, exact);
        }
      }),
    );
  });

  it('loses nothing and makes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(graphArb, fc.constantFrom(0.4, 0.02, 0.001), async (graph, epsilon) => {
        for (const trail of Object.values(await trails(graph, { epsilon, hops: 7 }))) {
          const parts = [...trail.arrivals.map(({ mass }) => mass), trail.services, trail.ends, trail.bound];
          expect(parts.every((part) => part >= 0)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  it('the lines of an address add up to 100 % at most, and to its volume at most where all values are known', async () => {
    await fc.assert(
      fc.asyncProperty(graphArb, async (graph) => {
        const { exposures, sides: found } = await scoreAddress(memoryStore(rowsOf(graph)), 'ethereum', 'subject', 0);
        const rounding = 0.0001 * exposures.length;
        expect(exposures.reduce((sum, { percent }) => sum + percent, 0)).toBeLessThanOrEqual(100 + rounding);
        if (found.in.total.unknownTransfers + found.out.total.unknownTransfers > 0) return;
        const total = found.in.total.usd + found.out.total.usd;
        expect(exposures.reduce((sum, { volume }) => sum + volume, 0)).toBeLessThanOrEqual(total * (1 + 1e-9) + 0.01 * exposures.length);
      }),
    );
  });

  it('does not depend on the order in which facts were loaded', async () => {
    const graphAndOrder = graphArb.chain((graph) =>
      fc.record({ graph: fc.constant(graph), shuffled: fc.shuffledSubarray(graph.transfers, { minLength: graph.transfers.length }) }),
    );
    await fc.assert(
      fc.asyncProperty(graphAndOrder, async ({ graph, shuffled }) => {
        const labels = Object.fromEntries(Object.entries(graph.labels).toReversed());
        const one = memoryStore(rowsOf(graph));
        const other = backwards(memoryStore(rowsOf({ transfers: shuffled, labels })));
        expect(await scoreAddress(other, 'ethereum', 'subject', 0)).toEqual(await scoreAddress(one, 'ethereum', 'subject', 0));
      }),
    );
  });
});
