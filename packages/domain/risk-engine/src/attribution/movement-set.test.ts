import { expect, it } from 'vitest';
import { move } from '../movement.testing.ts';
import { MovementSet } from './movement-set.ts';

it('keeps a movement once, and the others of its transaction', () => {
  const set = new MovementSet();
  const first = move(0, 'a', 'b', 1);
  const others = [
    { ...first, position: 1 },
    { ...first, coin: 'USDC' },
    { ...first, to: 'c' },
    { ...first, from: 'c' },
    { ...first, tx: 'other' },
  ];
  expect([first, ...others, { ...first }].map((movement) => set.add(movement))).toEqual([true, true, true, true, true, true, false]);
  expect(set.size).toBe(6);
  expect(set.values()).toEqual([first, ...others]);
});
