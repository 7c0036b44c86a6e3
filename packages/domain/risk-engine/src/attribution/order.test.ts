import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { move, moves, movementsArb, seed } from '../movement.testing.ts';
import { componentsOf } from './components.ts';
import { inTimeOrder } from './order.ts';

const pairs = (ordered: ReturnType<typeof moves>): string[] => ordered.map(({ from, to }) => `${from}>${to}`);

describe('the order of transfers', () => {
  it('is that of time', () => {
    expect(
      pairs(
        inTimeOrder(
          moves([
            ['b', 'c', 1, 2],
            ['a', 'b', 1, 1],
            ['c', 'd', 1, 0],
          ]),
        ),
      ),
    ).toEqual(['c>d', 'a>b', 'b>c']);
  });

  it('inside one time has an address paid before it pays, whatever the positions', () => {
    const chain = [move(0, 'c', 'd', 1, { position: 0 }), move(0, 'b', 'c', 1, { position: 1 }), move(0, 'a', 'b', 1, { position: 2 })];
    expect(pairs(inTimeOrder(chain))).toEqual(['a>b', 'b>c', 'c>d']);
  });

  it('inside a cycle of one time is that of positions, before what the cycle pays others', () => {
    const cycle = [
      move(0, 'b', 'a', 1, { position: 2 }),
      move(0, 'a', 'b', 1, { position: 1 }),
      move(0, 'a', 'z', 1, { position: 3 }),
      move(0, 'z', 'y', 1, { position: 0 }),
    ];
    expect(pairs(inTimeOrder(cycle))).toEqual(['a>b', 'b>a', 'a>z', 'z>y']);
  });

  it('has an exchange contract paid before it pays the same user, though its transfer came first', () => {
    const swap = [move(0, 'pool', 'user', 1, { position: 1 }), move(0, 'user', 'pool', 1, { position: 2 })];
    expect(pairs(inTimeOrder(swap, (address) => address === 'pool'))).toEqual(['user>pool', 'pool>user']);
    expect(pairs(inTimeOrder(swap))).toEqual(['pool>user', 'user>pool']);
  });

  it('takes a second with a long line of payments', () => {
    const line = Array.from({ length: 5_000 }, (_, index) => move(0, `a${index}`, `a${index + 1}`, 1, { tx: `tx${index}` }));
    expect(inTimeOrder(line.toReversed())).toEqual(line);
  });

  it('does not depend on the order of loading, and keeps every transfer', () => {
    fc.assert(
      fc.property(movementsArb(['a', 'b', 'c', 'd', 'e'], 30, 3), fc.infiniteStream(fc.nat()), (movements, noise) => {
        const keyed = movements.map((movement) => ({ movement, at: noise.next().value as number }));
        const shuffled = keyed.toSorted((a, b) => a.at - b.at).map(({ movement }) => movement);
        expect(inTimeOrder(shuffled)).toEqual(inTimeOrder(movements));
        expect(inTimeOrder(movements)).toHaveLength(movements.length);
      }),
      { seed },
    );
  });
});

describe('strongly connected components', () => {
  const edgesArb = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')));

  it('hold addresses that reach each other, and are numbered along the edges', () => {
    fc.assert(
      fc.property(edgesArb, (edges) => {
        const components = componentsOf(edges);
        const reached = reachability(edges);
        for (const [from, to] of edges) expect(components.get(from)).toBeLessThanOrEqual(components.get(to) ?? -1);
        for (const [a, one] of components) {
          for (const [b, other] of components) {
            expect(one === other).toBe(a === b || (reached(a, b) && reached(b, a)));
          }
        }
      }),
      { seed },
    );
  });
});

/** By definition: repeated until nothing is added. */
function reachability(edges: readonly (readonly [string, string])[]): (from: string, to: string) => boolean {
  const reached = new Set(edges.map(([from, to]) => `${from}>${to}`));
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const one of reached) {
      for (const [from, to] of edges) if (one.endsWith(`>${from}`)) reached.add(`${one.split('>')[0] ?? ''}>${to}`);
    }
  }
  return (from, to) => reached.has(`${from}>${to}`);
}
