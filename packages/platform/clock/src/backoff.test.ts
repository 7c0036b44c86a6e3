import { expect, test } from 'vitest';
import { backoff } from './index.ts';

test('doubles up to its limit and stays there, however many attempts there were', () => {
  const pauses = [1, 2, 3, 4, 5, 100, 1e9].map((attempt) => backoff(attempt, { firstMs: 100, longestMs: 500 }));
  expect(pauses).toEqual([100, 200, 400, 500, 500, 500, 500]);
});

test('takes less than one attempt for one', () => {
  expect([0, -3].map((attempt) => backoff(attempt, { firstMs: 100, longestMs: 500 }))).toEqual([100, 100]);
});
