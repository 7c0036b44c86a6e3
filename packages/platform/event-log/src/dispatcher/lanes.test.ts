import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lanes } from './lanes.ts';

interface Work {
  readonly key: string;
  readonly n: number;
}

test('gives out every key in order, never a key that is busy, and in the end everything', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ take: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ release: fc.nat() }),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (run) => {
      const lanes = new Lanes<Work>();
      const busy = new Set<string>();
      const taken: Work[] = [];
      let added = 0;
      const take = (max: number): number => {
        const some = lanes.take(max);
        expect(some.length).toBeLessThanOrEqual(max);
        for (const { key } of some) expect(busy.has(key)).toBe(false);
        for (const { key } of some) busy.add(key);
        taken.push(...some);
        return some.length;
      };
      const release = (key: string | undefined): void => {
        if (key === undefined) return;
        busy.delete(key);
        lanes.release(key);
      };
      for (const step of run) {
        if ('add' in step) lanes.add(step.add, { key: step.add, n: added++ });
        else if ('take' in step) take(step.take);
        else release([...busy][step.release % Math.max(1, busy.size)]);
      }
      do for (const key of [...busy].toSorted()) release(key);
      while (take(3) > 0);
      expect(taken.length).toBe(added);
      for (const key of 'abcd') {
        const mine = taken.filter((work) => work.key === key).map((work) => work.n);
        expect(mine).toEqual(mine.toSorted((a, b) => a - b));
      }
    }),
  );
});

test('serves a key that has much waiting in turn with the others', () => {
  const lanes = new Lanes<string>();
  for (let i = 0; i < 6; i++) lanes.add('much', `much-${i}`);
  lanes.add('little', 'little-0');
  expect(lanes.take(2)).toEqual(['much-0', 'much-1']);
  lanes.release('much');
  expect(lanes.take(2)).toEqual(['little-0', 'much-2']);
});

test('forgets what it is told to, and nothing else', () => {
  const lanes = new Lanes<string>();
  for (const work of ['a1', 'b1', 'a2', 'b2']) lanes.add(work.charAt(0), work);
  expect(lanes.discard((work) => work.endsWith('1'))).toBe(2);
  expect(lanes.take(9)).toEqual(['a2', 'b2']);
});
