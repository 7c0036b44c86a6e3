import { categoryNames } from '@weir/risk-engine';
import { expect, it } from 'vitest';
import { kinds } from './categories.ts';

it('every category of the engine has its kind, and there are no others', () => {
  expect(Object.keys(kinds).toSorted()).toEqual([...categoryNames].toSorted());
});
