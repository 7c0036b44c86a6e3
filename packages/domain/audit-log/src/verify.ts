import { emptyRoot, hashLength, nodeHash } from './hashes.ts';

export interface Inclusion {
  /** From 0. */
  readonly index: number;
  readonly leaf: Buffer;
  readonly size: number;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
}

/** RFC 9162, section 2.1.3.2. False for anything else than a proof that the leaf stands at `index` of the tree. */
export function verifyInclusion({ index, leaf, size, root, proof }: Inclusion): boolean {
  if (!areCounts(index, size) || index >= size || !areHashes([leaf, root, ...proof])) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    const isRight = at % 2 === 1 || at === last;
    hash = isRight ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
    while (isRight && at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && hash.equals(root);
}

export interface Consistency {
  readonly first: { readonly size: number; readonly root: Buffer };
  readonly second: { readonly size: number; readonly root: Buffer };
  readonly proof: readonly Buffer[];
}

/** RFC 9162, section 2.1.4.2. False for anything else than a proof that the second tree begins with the first. */
export function verifyConsistency({ first, second, proof }: Consistency): boolean {
  if (!areCounts(first.size, second.size) || first.size > second.size) return false;
  if (!areHashes([first.root, second.root, ...proof])) return false;
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return proof.length === 0 && first.root.equals(emptyRoot);
  const isComplete = Number.isInteger(Math.log2(first.size));
  const [start, ...path] = isComplete ? [first.root, ...proof] : proof;
  if (start === undefined) return false;
  let [at, last] = [first.size - 1, second.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [old, grown] = [start, start];
  for (const sibling of path) {
    if (last === 0) return false;
    const isRight = at % 2 === 1 || at === last;
    if (isRight) [old, grown] = [nodeHash(sibling, old), nodeHash(sibling, grown)];
    else grown = nodeHash(grown, sibling);
    while (isRight && at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && old.equals(first.root) && grown.equals(second.root);
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function areCounts(...values: readonly number[]): boolean {
  return values.every((value) => Number.isSafeInteger(value) && value >= 0);
}

function areHashes(values: readonly Buffer[]): boolean {
  return values.every(({ length }) => length === hashLength);
}
