import { median } from '../line.ts';

/** Of one process; mebibytes. */
export interface Sample {
  readonly minutes: number;
  readonly rss: number;
  /** Used heap; it varies with garbage collection. */
  readonly heap: number;
}

export interface Summary {
  readonly start: number;
  readonly median: number;
  readonly max: number;
  /** MiB a minute over the second half, and twice its standard error. A slope below its error is no growth. */
  readonly slope: number;
  readonly error: number;
}

/** Neighbouring samples correlate, so each block counts as one; independent samples would understate the error. */
const blocks = 12;

export function summarise(samples: readonly Sample[], what: 'rss' | 'heap'): Summary {
  const all = samples.map((sample) => sample[what]);
  const points = blockMeans(samples.slice(Math.floor(samples.length / 2)).map((sample) => ({ x: sample.minutes, y: sample[what] })));
  return { start: all[0] ?? Number.NaN, median: median(all), max: Math.max(...all), ...line(points) };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function blockMeans(points: readonly Point[]): Point[] {
  const size = Math.max(1, Math.floor(points.length / blocks));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return Array.from({ length: Math.floor(points.length / size) }, (_, n) => {
    const block = points.slice(n * size, (n + 1) * size);
    return { x: mean(block.map(({ x }) => x)), y: mean(block.map(({ y }) => y)) };
  });
}

/** Least squares: the slope and twice its standard error. */
function line(points: readonly Point[]): { slope: number; error: number } {
  const n = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n;
  const sxx = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / sxx;
  const residual = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: 2 * Math.sqrt(residual / (n - 2) / sxx) };
}
