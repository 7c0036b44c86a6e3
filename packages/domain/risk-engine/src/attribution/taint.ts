/** USD. */
export type Sums = number[];

/**
 * A tag is a kind of source, or of money that was not read. Most money has few of them, so only those are kept. Three sums for each, in the
 * order of `has`: first all masses, then all weighted ones, then all that count. One array, because a score makes hundreds of thousands.
 */
export interface Taint {
  has: TagSet;
  sums: Sums;
}

/**
 * Mass: from such a source. Weighted: at most the mass, less the further and the less surely it came. Counted: what counts against limits in
 * USD; of money not read also crime behind a probable service, which may be a stranger's.
 */
export const fields = { mass: 0, weighted: 1, counted: 2 } as const;
export type Field = keyof typeof fields;

/** The kinds of source come first; the last tag is money whose past was not read. */
export interface Tags {
  readonly unread: number;
  readonly none: TagSet;
  only(tag: number): TagSet;
  /** Of a kind of source: a crime, which limits in USD count. */
  isCrime(tag: number): boolean;
}

interface Union {
  readonly all: TagSet;
  /** Where the sums of each belong among those of `all`. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Sets beyond these are taken for the set of all tags, which costs time for each sum, but none to make. */
const mostSets = 2_000;

/** Equal sets of one side are one object, so that most sums are added without a search. */
class TagSet {
  /** Rising. */
  readonly tags: readonly number[];
  readonly size: number;
  /** How many of them are kinds of source: the first ones. */
  readonly kinds: number;
  readonly #known: Map<string, TagSet>;
  readonly #unread: number;
  /** By tag. */
  readonly #places: Int16Array;
  readonly #unions = new Map<TagSet, Union>();

  private constructor(tags: readonly number[], unread: number, known: Map<string, TagSet>) {
    this.tags = tags;
    this.size = tags.length;
    this.kinds = tags.at(-1) === unread ? tags.length - 1 : tags.length;
    this.#known = known;
    this.#unread = unread;
    this.#places = new Int16Array(unread + 1).fill(-1);
    for (const [place, tag] of tags.entries()) this.#places[tag] = place;
  }

  static none(unread: number): TagSet {
    return new TagSet([], unread, new Map());
  }

  /** -1: none. */
  placeOf(tag: number): number {
    return this.#places[tag] ?? -1;
  }

  only(tag: number): TagSet {
    return this.#of((other) => other === tag);
  }

  union(other: TagSet): Union {
    const before = this.#unions.get(other);
    if (before !== undefined) return before;
    const all = this.#of((tag) => this.placeOf(tag) >= 0 || other.placeOf(tag) >= 0);
    const placesOf = ({ tags }: TagSet): number[] =>
      Object.values(fields).flatMap((field) => tags.map((tag) => field * all.size + all.placeOf(tag)));
    const union = { all, ours: placesOf(this), theirs: placesOf(other) };
    this.#unions.set(other, union);
    return union;
  }

  #of(has: (tag: number) => boolean): TagSet {
    const every = Array.from({ length: this.#unread + 1 }, (_, tag) => tag);
    const tags = every.filter(has);
    const known = this.#known.get(tags.join(' '));
    if (known !== undefined) return known;
    return this.#known.size < mostSets ? this.#keep(tags) : (this.#known.get(every.join(' ')) ?? this.#keep(every));
  }

  #keep(tags: readonly number[]): TagSet {
    const set = new TagSet(tags, this.#unread, this.#known);
    this.#known.set(tags.join(' '), set);
    return set;
  }
}

export function tagsFor(kindsOfSource: number, isCrime: (tag: number) => boolean = () => true): Tags {
  const none = TagSet.none(kindsOfSource);
  const single = Array.from({ length: kindsOfSource + 1 }, (_, tag) => none.only(tag));
  return { unread: kindsOfSource, none, only: (tag) => single[tag] ?? none.only(tag), isCrime };
}

/** Copied, because a new array of numbers costs many times as much and a score makes hundreds of thousands. */
const templates = new Map<number, Sums>();

export function zeros(size: number): Sums {
  const template = templates.get(size) ?? Array.from({ length: size }, () => 0.5).fill(0);
  templates.set(size, template);
  return template.slice();
}

export function clean({ none }: Pick<Tags, 'none'>): Taint {
  return { has: none, sums: zeros(0) };
}

/** All of `usd` is of one tag. */
export function wholly(tags: Tags, tag: number, usd: number, weight = 1): Taint {
  const sums = zeros(3);
  sums[0] = usd;
  sums[1] = usd * weight;
  sums[2] = usd;
  return { has: tags.only(tag), sums };
}

/** Changes `into`: one sum is kept per address, and a score adds to it thousands of times. */
export function addTo(into: Taint, { has, sums }: Taint, factor = 1): void {
  if (into.has === has) {
    for (let at = 0; at < sums.length; at++) into.sums[at] = (into.sums[at] ?? 0) + (sums[at] ?? 0) * factor;
    return;
  }
  if (sums.length === 0) return;
  const { all, ours, theirs } = into.has.union(has);
  if (all !== into.has) {
    const wider = zeros(3 * all.size);
    for (let at = 0; at < into.sums.length; at++) wider[ours[at] as number] = into.sums[at] ?? 0;
    into.sums = wider;
    into.has = all;
  }
  for (let at = 0; at < sums.length; at++) {
    const place = theirs[at] as number;
    into.sums[place] = (into.sums[place] ?? 0) + (sums[at] ?? 0) * factor;
  }
}

export function without({ has, sums }: Taint, part: Taint): Taint {
  const left = { has, sums: sums.slice() };
  addTo(left, part, -1);
  return left;
}

export function scaleBy({ sums }: Taint, factor: number): void {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) * factor;
}

/** `place`: of a tag in `has`. 0 for one that it lacks, which is at -1. */
export function usdAt({ has, sums }: Taint, field: Field, place: number): number {
  return place < 0 ? 0 : (sums[fields[field] * has.size + place] ?? 0);
}

export function usdOf(taint: Taint, field: Field, tag: number): number {
  return usdAt(taint, field, taint.has.placeOf(tag));
}

export function taintedUsd({ has, sums }: Taint): number {
  let sum = 0;
  for (let place = 0; place < has.size; place++) sum += sums[place] ?? 0;
  return sum;
}

/** Without money that was not read. */
export function illicitMass({ has, sums }: Taint): number {
  let sum = 0;
  for (let place = 0; place < has.kinds; place++) sum += sums[place] ?? 0;
  return sum;
}
