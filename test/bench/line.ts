export interface Line {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Context, such as the ratio to a baseline or timeouts. */
  readonly note?: string;
}

export function printLine({ name, value, unit, note }: Line): void {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  process.stdout.write(`${name.padEnd(52)} ${value.toFixed(digits).padStart(8)} ${unit}${note === undefined ? '' : `    (${note})`}\n`);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
