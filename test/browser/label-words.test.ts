import { categoryNames } from '@weir/risk-engine';
import { expect, test } from 'vitest';
import { words } from '../../services/console/web/src/words/en.ts';

test('each category that a label can have is a choice of the console', () => {
  expect(Object.keys(words.categories)).toEqual(categoryNames);
});
