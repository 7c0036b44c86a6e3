import { describe, expect, test } from 'vitest';
import { seededRandom } from '../support/stack/random.ts';
import { bounded, levels, type Point, proportional, returns } from './judge.ts';

const random = seededRandom(19);
const noise = (of: number): number => (random() - 0.5) * 2 * of;
/** Two hours, a point every 30 s. */
const span = [0, 7_200] as const;
const series = (valueAt: (at: number) => number): Point[] =>
  Array.from({ length: 241 }, (_, n) => ({ at: n * 30, value: valueAt(n * 30) }));
const memory = { share: 0.15, least: 20 };

describe('memory and handles', () => {
  test('a level with noise, and a warm-up of a quarter, pass', () => {
    expect(
      levels(
        series((at) => 150 * Math.min(1, 0.5 + at / 3_000) + noise(30)),
        span,
        memory,
      ),
    ).toMatchObject({ holds: true });
    expect(
      levels(
        series(() => 40),
        span,
        { share: 0.1, least: 10 },
      ),
    ).toEqual({ holds: true, before: 40, after: 40 });
  });

  test('a leak of 30 MB an hour is found among noise, and a few handles an hour', () => {
    expect(
      levels(
        series((at) => 150 + at / 120 + noise(20)),
        span,
        memory,
      ),
    ).toMatchObject({ holds: false });
    expect(
      levels(
        series((at) => 40 + Math.floor(at / 300)),
        span,
        { share: 0.1, least: 10 },
      ),
    ).toMatchObject({ holds: false });
  });

  test('one peak does not count, whenever it comes', () => {
    for (const peak of [2_700, 6_600])
      expect(
        levels(
          series((at) => (Math.abs(at - peak) < 60 ? 900 : 150)),
          span,
          memory,
        ),
      ).toMatchObject({ holds: true });
  });

  test('a process that was restarted again and again is compared by its level', () => {
    const restarted = series((at) => 120 + (at % 600) / 20);
    expect(levels(restarted, span, memory)).toMatchObject({ holds: true });
  });

  test('without points in a quarter it is not judged', () => {
    expect(
      levels(
        series(() => 1).filter(({ at }) => at < 3_600),
        span,
        memory,
      ),
    ).toMatchObject({ holds: null });
    expect(levels([], span, memory)).toMatchObject({ holds: null });
  });
});

describe('tables that are trimmed', () => {
  const tolerance = { share: 0.15, least: 2_000 };
  test('a saw of equal peaks passes, one whose peaks grow is found', () => {
    expect(
      bounded(
        series((at) => 10_000 + (at % 600) * 100),
        [1_200, 7_200],
        tolerance,
      ),
    ).toMatchObject({ holds: true });
    expect(
      bounded(
        series((at) => 10_000 + (at % 600) * 100 + at * 10),
        [1_200, 7_200],
        tolerance,
      ),
    ).toMatchObject({ holds: false });
  });

  test('it is not judged before its retention has begun', () => {
    expect(
      bounded(
        series((at) => at),
        [7_200, 7_200],
        tolerance,
      ),
    ).toMatchObject({ holds: null });
    expect(
      bounded(
        series((at) => at),
        [9_000, 7_200],
        tolerance,
      ),
    ).toMatchObject({ holds: null });
  });
});

describe('tables that are kept for good', () => {
  const deposits = series((at) => at * 50);
  const tolerance = { share: 0.25, least: 100_000 };
  test('growth with the deposits passes, with pages that come at once and a pause of the load', () => {
    expect(
      proportional(
        series((at) => Math.floor(at * 50 * 4) + noise(50_000)),
        deposits,
        span,
        tolerance,
      ),
    ).toMatchObject({ holds: true });
    const paused = (at: number): number => Math.min(at, 5_000) * 50;
    const grown = proportional(
      series((at) => paused(at) * 4),
      series(paused),
      span,
      tolerance,
    );
    expect(grown).toMatchObject({ holds: true });
    expect(grown.after).toBeCloseTo(4);
  });

  test('growth that outruns the deposits is found', () => {
    expect(
      proportional(
        series((at) => at * 200 + at ** 2 / 10),
        deposits,
        span,
        tolerance,
      ),
    ).toMatchObject({ holds: false });
  });

  test('a table that hardly grows passes, however unevenly', () => {
    expect(
      proportional(
        series((at) => (at > 5_000 ? 90_000 : 0)),
        deposits,
        span,
        tolerance,
      ),
    ).toMatchObject({ holds: true });
  });
});

describe('what waits', () => {
  const faults = Array.from({ length: 120 }, (_, n) => n * 60);
  const limits = { bound: 250, limit: 50, to: 7_200 };
  const points = (valueAt: (at: number) => number): Point[] =>
    Array.from({ length: 720 }, (_, n) => ({ at: n * 10, value: valueAt(n * 10) }));
  test('peaks that end before the next fault pass', () => {
    expect(
      returns(
        points((at) => (at % 60 < 30 ? 3_000 + noise(500) : 20 + noise(20))),
        faults,
        limits,
      ),
    ).toMatchObject({ holds: true, slowest: 30 });
  });

  test('one that is never worked off is found, and one that is worked off too late', () => {
    const never = returns(
      points((at) => (at > 5_000 ? 900 : 0)),
      faults,
      limits,
    );
    expect(never).toMatchObject({ holds: false, slowest: null });
    expect(
      returns(
        points((at) => (at > 3_000 && at < 3_300 ? 900 : 0)),
        faults,
        limits,
      ),
    ).toMatchObject({ holds: false, slowest: 300 });
  });

  test('what begins to wait only a while after the fault is found', () => {
    const late = returns(
      points((at) => (at > 3_010 && at < 3_300 ? 900 : 0)),
      faults,
      limits,
    );
    expect(late).toMatchObject({ holds: false, slowest: 300 });
  });

  test('a rest that grows is found before it reaches the bound twice over', () => {
    expect(
      returns(
        points((at) => at / 10),
        faults,
        { ...limits, bound: 300 },
      ),
    ).toMatchObject({ holds: false });
  });

  test('what a fault at the end causes is not charged to the one before', () => {
    const late = points((at) => (at > 7_190 ? 900 : 0));
    const last = [...late, { at: 7_195, value: 900 }];
    expect(returns(last, [1_000, 7_190], { ...limits, limit: 180 })).toMatchObject({ holds: true });
  });

  test('a fault at the end is not judged', () => {
    expect(
      returns(
        points(() => 900),
        [7_190],
        limits,
      ),
    ).toMatchObject({ holds: null });
  });
});
