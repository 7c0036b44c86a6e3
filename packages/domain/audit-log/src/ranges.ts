/** Whole numbers from `first` to `last`. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Ascending whole numbers as text: `3-5,9`. */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const before = ranges.at(-1);
    if (before !== undefined && number === before.last + 1) before.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** Undefined for anything that `formatRanges` does not make of ascending numbers. */
export function parseRanges(text: string): Range[] | undefined {
  const ranges: Range[] = [];
  for (const part of text.split(',')) {
    const [, from = '', to = from] = /^(\d{1,16})(?:-(\d{1,16}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    const isNext = from !== '' && last >= first && first > (ranges.at(-1)?.last ?? -1);
    if (!isNext || !Number.isSafeInteger(last)) return undefined;
    ranges.push({ first, last });
  }
  return ranges;
}
