/** USD by tag. */
export type Sums = number[];

/** A tag is a kind of source, or of money that was not read. */
export interface Taint {
  /** From such a source. */
  readonly mass: Sums;
  /** At most `mass`: less the further and the less surely it came. */
  readonly weighted: Sums;
  /** What counts against limits in USD. Of `unread` also crime behind a probable service, which may be a stranger's. */
  readonly counted: Sums;
}

/** The kinds of source come first; the last tag is money whose past was not read. */
export interface Tags {
  readonly size: number;
  readonly unread: number;
  /** Of a kind of source: a crime, which limits in USD count. */
  isCrime(tag: number): boolean;
}

export function tagsFor(kindsOfSource: number, isCrime: (tag: number) => boolean = () => true): Tags {
  return { size: kindsOfSource + 1, unread: kindsOfSource, isCrime };
}

/** Copied, because a new array of numbers costs many times as much and a score makes hundreds of thousands. */
const templates = new Map<number, Sums>();

export function zeros(size: number): Sums {
  const template = templates.get(size) ?? Array.from({ length: size }, () => 0.5).fill(0);
  templates.set(size, template);
  return template.slice();
}

export function clean({ size }: Tags): Taint {
  return { mass: zeros(size), weighted: zeros(size), counted: zeros(size) };
}

/** All of `usd` is of one tag. */
export function wholly(tags: Tags, tag: number, usd: number, weight = 1): Taint {
  const taint = clean(tags);
  taint.mass[tag] = usd;
  taint.weighted[tag] = usd * weight;
  taint.counted[tag] = usd;
  return taint;
}

const fields = ['mass', 'weighted', 'counted'] as const;

/** Changes `into`: one sum is kept per address, and a score adds to it thousands of times. */
export function addTo(into: Taint, from: Taint, factor = 1): void {
  for (const field of fields) {
    const [sums, parts] = [into[field], from[field]];
    for (let tag = 0; tag < sums.length; tag++) sums[tag] = (sums[tag] ?? 0) + (parts[tag] ?? 0) * factor;
  }
}

export function without(taint: Taint, part: Taint): Taint {
  const left = { mass: taint.mass.slice(), weighted: taint.weighted.slice(), counted: taint.counted.slice() };
  addTo(left, part, -1);
  return left;
}

export function scaleBy(taint: Taint, factor: number): void {
  for (const field of fields) {
    const values = taint[field];
    for (let tag = 0; tag < values.length; tag++) values[tag] = (values[tag] ?? 0) * factor;
  }
}

export function taintedUsd({ mass }: Taint): number {
  return mass.reduce((sum, usd) => sum + usd, 0);
}

/** Without money that was not read. */
export function illicitMass({ mass }: Taint, { unread }: Tags): number {
  let sum = 0;
  for (let tag = 0; tag < unread; tag++) sum += mass[tag] ?? 0;
  return sum;
}
