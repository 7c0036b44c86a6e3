import { emptyRoot, nodeHash } from './hashes.ts';

/** All that an append needs to know of a tree: the roots of its complete subtrees, one per bit of `size`, the largest first. */
export interface Frontier {
  /** Leaves in the tree. */
  readonly size: number;
  readonly hashes: readonly Buffer[];
}

export const emptyFrontier: Frontier = { size: 0, hashes: [] };

/** The hash over 256^level leaves that begin at leaf `index` × 256^level. Level 0 are the leaves. */
export interface TileNode {
  readonly level: number;
  readonly index: number;
  readonly hash: Buffer;
}

export interface Grown {
  readonly frontier: Frontier;
  /** Completed by these leaves, of level 1 and above. */
  readonly nodes: readonly TileNode[];
}

/** Appends leaf hashes in O(leaves + log size). */
export function appendLeaves(frontier: Frontier, leaves: readonly Buffer[]): Grown {
  const hashes = [...frontier.hashes];
  const nodes: TileNode[] = [];
  let size = frontier.size;
  for (const leaf of leaves) {
    let root = leaf;
    let height = 0;
    // Each set bit is a complete subtree of that height, which the new one completes to the next height.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      root = nodeHash(hashes.pop() as Buffer, root);
      height += 1;
      if (height % 8 === 0) nodes.push({ level: height / 8, index: (rest - 1) / 2, hash: root });
    }
    hashes.push(root);
    size += 1;
  }
  return { frontier: { size, hashes }, nodes };
}

export function rootOf({ hashes }: Frontier): Buffer {
  return hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** Whether there is one hash per set bit of the size. */
export function isFrontier({ size, hashes }: Frontier): boolean {
  const bits = size.toString(2).replaceAll('0', '').length;
  return Number.isSafeInteger(size) && size >= 0 && hashes.length === bits && hashes.every(({ length }) => length === 32);
}
