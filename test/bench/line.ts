export interface Line {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Context, such as the ratio to a baseline or timeouts. */
  readonly note?: string;
  /** The limit that the value must not pass. */
  readonly bound?: { readonly least: number } | { readonly most: number };
}

export function isWithin({ value, bound }: Line): boolean {
  if (bound === undefined) return true;
  return 'least' in bound ? value >= bound.least : value <= bound.most;
}

export function printLine(line: Line): void {
  const { name, value, unit, bound } = line;
  const limit = bound === undefined ? [] : 'least' in bound ? [`at least ${bound.least}`] : [`at most ${bound.most}`];
  const notes = [...(isWithin(line) ? [] : ['MISSED']), ...limit, ...(line.note === undefined ? [] : [line.note])];
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  process.stdout.write(
    `${name.padEnd(52)} ${value.toFixed(digits).padStart(8)} ${unit}${notes.length === 0 ? '' : `    (${notes.join('; ')})`}\n`,
  );
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
