import { appendLeaves, emptyFrontier, emptyRoot, leafHash, nodeHash, type ReadHash } from './index.ts';

/** Printed with each failure. */
export const seed = 20_261_124;

/** The hashes of the tree over `leaf 0`, `leaf 1` and so on, the bytes of the test of Go's sumdb/tlog. */
export function testTree(size: number): { leaves: Buffer[]; read: ReadHash; root: Buffer } {
  const leaves = Array.from({ length: size }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)));
  const { nodes } = appendLeaves(emptyFrontier, leaves);
  const inner = new Map(nodes.map(({ level, index, hash }) => [`${level}/${index}`, hash]));
  const read: ReadHash = (level, index) => {
    const hash = level === 0 ? leaves[index] : inner.get(`${level}/${index}`);
    if (hash === undefined) throw new Error(`the tree of ${size} leaves has no hash ${level}/${index}`);
    return hash;
  };
  return { leaves, read, root: rootOfLeaves(leaves) };
}

/** As RFC 6962 defines the root, without a shortcut. */
function rootOfLeaves(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return emptyRoot;
  if (leaves.length === 1) return first;
  const middle = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return nodeHash(rootOfLeaves(leaves.slice(0, middle)), rootOfLeaves(leaves.slice(middle)));
}
