import { expect, test } from 'vitest';
import { LagAges } from './lag-ages.ts';

test('the age is that of the oldest record which is not dealt with, and no more', () => {
  const ages = new LagAges();
  const at = (atMs: number, end: bigint, lag: bigint): number => ages.ageMs('t/0', { end, lag }, atMs);
  expect(at(0, 10n, 0n)).toBe(0);
  expect(at(1_000, 12n, 2n)).toBe(0);
  expect(at(2_000, 15n, 5n)).toBe(1_000);
  // Records 11 and 12 are dealt with; 13 was there at 2,000.
  expect(at(3_000, 15n, 3n)).toBe(1_000);
  expect(at(9_000, 15n, 1n)).toBe(7_000);
  expect(at(10_000, 15n, 0n)).toBe(0);
  expect(at(11_000, 16n, 1n)).toBe(0);
  expect(ages.ageMs('t/1', { end: 4n, lag: 4n }, 11_000)).toBe(0);
});

test('a lag that lasts keeps the age of its oldest record, and a bounded number of lengths', () => {
  const ages = new LagAges();
  for (let n = 1; n <= 5_000; n += 1) expect(ages.ageMs('t/0', { end: BigInt(n), lag: BigInt(n) }, n * 10)).toBe((n - 1) * 10);
});
