import { expect, test } from 'vitest';
import { mostInWindow } from './testing.ts';

test('mostInWindow counts the fullest window, open at its end', () => {
  expect(mostInWindow([], 1_000)).toBe(0);
  expect(mostInWindow([1_001, 0, 100, 999, 1_000], 1_000)).toBe(4);
  expect(mostInWindow([0, 1_000, 2_000], 1_000)).toBe(1);
});
