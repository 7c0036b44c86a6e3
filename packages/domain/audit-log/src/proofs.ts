import { emptyRoot, nodeHash } from './hashes.ts';

/** The hash over 256^level leaves from leaf `index` × 256^level on. Throws if the hash is not known. */
export type ReadHash = (level: number, index: number) => Buffer;

/** `count` hashes of one level from `first` on. */
export interface HashSpan {
  readonly level: number;
  readonly first: number;
  readonly count: number;
}

/** Leaves from `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree of 2^height leaves from leaf `index` × 2^height on. */
interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** RFC 6962, section 2.1.1. Throws a RangeError for a leaf outside the tree. */
export function inclusionProof(index: number, size: number, read: ReadHash): Buffer[] {
  return inclusionRanges(index, size).map((range) => rangeHash(range, read));
}

/** The hashes that `inclusionProof` reads. */
export function hashesOfInclusion(index: number, size: number): HashSpan[] {
  return inclusionRanges(index, size).flatMap(spansOf);
}

/** RFC 6962, section 2.1.2: that the tree of `size` leaves begins with the tree of `first` leaves. Throws a RangeError if `first` is larger. */
export function consistencyProof(first: number, size: number, read: ReadHash): Buffer[] {
  return consistencyRanges(first, size).map((range) => rangeHash(range, read));
}

/** The hashes that `consistencyProof` reads. */
export function hashesOfConsistency(first: number, size: number): HashSpan[] {
  return consistencyRanges(first, size).flatMap(spansOf);
}

export function treeRoot(size: number, read: ReadHash): Buffer {
  return size === 0 ? emptyRoot : rangeHash({ start: 0, end: size }, read);
}

/** The hashes that `treeRoot` reads. */
export function hashesOfRoot(size: number): HashSpan[] {
  return size === 0 ? [] : spansOf({ start: 0, end: size });
}

function inclusionRanges(index: number, size: number): Range[] {
  if (!isCount(index) || !isCount(size) || index >= size) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const ranges: Range[] = [];
  for (let [start, end] = [0, size]; end - start > 1; ) {
    const middle = start + split(end - start);
    ranges.push(index < middle ? { start: middle, end } : { start, end: middle });
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return ranges.toReversed();
}

function consistencyRanges(first: number, size: number): Range[] {
  if (!isCount(first) || !isCount(size) || first > size) throw new RangeError(`a tree of ${size} does not begin with one of ${first}`);
  if (first === 0 || first === size) return [];
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (end !== first) {
    const middle = start + split(end - start);
    ranges.push(first <= middle ? { start: middle, end } : { start, end: middle });
    [start, end] = first <= middle ? [start, middle] : [middle, end];
  }
  // The verifier knows the subtree itself if it is the whole first tree.
  if (start > 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** The largest power of two below `count`. */
function split(count: number): number {
  return 2 ** (countOfBits(count - 1) - 1);
}

function rangeHash(range: Range, read: ReadHash): Buffer {
  return subtreesOf(range)
    .map((subtree) => subtreeHash(subtree, read))
    .reduceRight((right, left) => nodeHash(left, right));
}

function subtreeHash({ height, index }: Subtree, read: ReadHash): Buffer {
  if (height % 8 === 0) return read(height / 8, index);
  const half = (at: number): Buffer => subtreeHash({ height: height - 1, index: at }, read);
  return nodeHash(half(index * 2), half(index * 2 + 1));
}

/** The complete subtrees of a range that begins at a multiple of each of them, the largest first. */
function subtreesOf({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    const height = countOfBits(end - at) - 1;
    subtrees.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return subtrees;
}

function spansOf(range: Range): HashSpan[] {
  return subtreesOf(range).map(({ height, index }) => {
    const count = 2 ** (height % 8);
    return { level: Math.floor(height / 8), first: index * count, count };
  });
}

function countOfBits(value: number): number {
  return value.toString(2).length;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
