import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paceOf } from './pace.ts';

test.each([
  { perSecond: 10, count: 10, logged: 10, intervalMs: 100, toleranceMs: 300, spanMs: 1_070 },
  { perSecond: 1, count: 1, logged: 1, intervalMs: 1_000, toleranceMs: 0, spanMs: 1_070 },
  { perSecond: 2.9, count: 2, logged: 2, intervalMs: 500, toleranceMs: 250, spanMs: 1_070 },
  { perSecond: 0.5, count: 1, logged: 1, intervalMs: 2_000, toleranceMs: 0, spanMs: 2_070 },
  { perSecond: 100, count: 100, logged: 100, intervalMs: 10, toleranceMs: 100, spanMs: 1_070 },
  { perSecond: 1_000, count: 1_000, logged: 0, intervalMs: 1.06, toleranceMs: 10, spanMs: 1_050 },
])('the pace of $perSecond/s', ({ perSecond, ...expected }) => {
  expect(paceOf({ perSecond, perDay: 9 })).toMatchObject(expected);
});

test('what is promised is kept by the moments or by the intervals, and half of it at most goes at once', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1_000_000, noNaN: true }), (perSecond) => {
      const { count, logged, intervalMs, toleranceMs, spanMs } = paceOf({ perSecond, perDay: 1 });
      if (logged === 0) expect(count * intervalMs - toleranceMs).toBeGreaterThanOrEqual(spanMs - 1e-6);
      else expect(logged).toBe(count);
      expect(logged).toBeLessThanOrEqual(100);
      expect(1 + Math.floor(toleranceMs / intervalMs)).toBeLessThanOrEqual(Math.ceil(count / 2));
      // In such a window the limit allows `count` or slightly more.
      expect(count / perSecond).toBeLessThanOrEqual((spanMs - (logged === 0 ? 50 : 70)) / 1_000 + 1e-9);
    }),
  );
});

test.each([
  { perSecond: 0, perDay: 1 },
  { perSecond: Number.NaN, perDay: 1 },
  { perSecond: 1, perDay: 1.5 },
  { perSecond: 1, perDay: -1 },
  { perSecond: Number.POSITIVE_INFINITY, perDay: 1 },
])('limits that mean nothing are refused: %o', (limits) => {
  expect(() => paceOf(limits)).toThrow(RangeError);
});

test.each([
  { perDay: 10_000, reserve: 3_334, rescreenMost: 1_000 },
  { perDay: 9, reserve: 3, rescreenMost: 0 },
  { perDay: 1, reserve: 1, rescreenMost: 0 },
])('the shares of a day of $perDay', ({ perDay, ...shares }) => {
  expect(paceOf({ perSecond: 1, perDay })).toMatchObject(shares);
});
