/** Whether series of a soak level out. Pure. */

export interface Point {
  /** Seconds since the load began. */
  readonly at: number;
  readonly value: number;
}

export interface Tolerance {
  /** Of the former value. */
  readonly share: number;
  /** In the unit of the series. The larger of both holds. */
  readonly least: number;
}

export interface Verdict {
  /** Null: the run is too short to tell. */
  readonly holds: boolean | null;
  readonly before: number | null;
  readonly after: number | null;
}

const tooShort: Verdict = { holds: null, before: null, after: null };
/** Of a quarter; fewer have no median worth its name. */
const leastPoints = 2;

/** The median of the last quarter against that of the second: the first one is the warm-up. */
export function levels(series: readonly Point[], [from, to]: readonly [number, number], tolerance: Tolerance): Verdict {
  const quarter = (to - from) / 4;
  const before = within(series, from + quarter, from + 2 * quarter);
  const after = within(series, from + 3 * quarter, to);
  if (Math.min(before.length, after.length) < leastPoints) return tooShort;
  return compared(median(before), median(after), tolerance);
}

/** The largest value of the second half against that of the first: for tables that fill and are trimmed in turn. */
export function bounded(series: readonly Point[], [from, to]: readonly [number, number], tolerance: Tolerance): Verdict {
  const middle = (from + to) / 2;
  const [before, after] = [within(series, from, middle), within(series, middle, to)];
  if (Math.min(before.length, after.length) < leastPoints) return tooShort;
  return compared(Math.max(...before), Math.max(...after), tolerance);
}

/** Growth for each unit of `of` in the second half against the first one: for tables that are kept for good. `least` is of `series`. */
export function proportional(
  series: readonly Point[],
  of: readonly Point[],
  [from, to]: readonly [number, number],
  { share, least }: Tolerance,
): Verdict {
  const growth = (points: readonly Point[], start: number, end: number): number | undefined => {
    const inside = points.filter(({ at }) => at >= start && at <= end);
    const [first, last] = [inside[0], inside.at(-1)];
    return first === undefined || last === undefined || inside.length < leastPoints ? undefined : last.value - first.value;
  };
  const middle = (from + to) / 2;
  const halves = [growth(series, from, middle), growth(of, from, middle), growth(series, middle, to), growth(of, middle, to)];
  const [grownBefore, ofBefore, grownAfter, ofAfter] = halves;
  if (grownBefore === undefined || ofBefore === undefined || grownAfter === undefined || ofAfter === undefined) return tooShort;
  if (ofBefore <= 0 || ofAfter <= 0) return tooShort;
  return compared(grownBefore / ofBefore, grownAfter / ofAfter, { share, least: least / ofAfter });
}

export interface Returns extends Verdict {
  /** Seconds that the slowest return took; null: none, or it never came. */
  readonly slowest: number | null;
}

/** After each fault (its second) the series is at most `bound` within `limit` seconds. `before` and `after` are the lows between faults. */
export function returns(
  series: readonly Point[],
  faults: readonly number[],
  { bound, limit, to }: { readonly bound: number; readonly limit: number; readonly to: number },
): Returns {
  // A fault shortly before the end has not had its time.
  const judged = faults.filter((at) => at + limit <= to);
  // Right after a fault nothing may wait yet. So the return is the one after the last excess before the next fault.
  const back = judged.map((fault, n) => {
    const next = faults[n + 1] ?? to;
    const excess = series.findLast(({ at, value }) => at > fault && at < next && value > bound)?.at ?? fault;
    return series.find(({ at, value }) => at > excess && value <= bound)?.at;
  });
  const took = judged.map((fault, n) => (back[n] ?? Number.POSITIVE_INFINITY) - fault);
  const lows = judged.map((fault, n) => Math.min(...within(series, fault, faults[n + 1] ?? to))).filter(Number.isFinite);
  if (took.length === 0 || lows.length === 0) return { ...tooShort, slowest: null };
  const slowest = Math.max(...took);
  const half = Math.ceil(lows.length / 2);
  const after = lows.slice(half);
  const trend = compared(median(lows.slice(0, half)), after.length === 0 ? median(lows) : median(after), { share: 0.15, least: bound });
  return { ...trend, holds: slowest <= limit && trend.holds === true, slowest: Number.isFinite(slowest) ? slowest : null };
}

function compared(before: number, after: number, { share, least }: Tolerance): Verdict {
  return { holds: after <= before + Math.max(before * share, least), before, after };
}

function within(series: readonly Point[], from: number, to: number): number[] {
  return series.filter(({ at }) => at >= from && at <= to).map(({ value }) => value);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
