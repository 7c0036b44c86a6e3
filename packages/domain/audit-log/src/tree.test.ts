import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendLeaves,
  consistencyProof,
  emptyFrontier,
  type HashSpan,
  hashesOfConsistency,
  hashesOfInclusion,
  hashesOfRoot,
  inclusionProof,
  isFrontier,
  leafHash,
  type ReadHash,
  rootOf,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from './index.ts';
import { seed, testTree } from './tree.testing.ts';

/** Leaves, inner hashes and roots of the Certificate Transparency reference tests (transparency-dev/merkle v0.0.2, testonly/constants.go). */
const reference = {
  leaves: ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'],
  leafHashes: [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7',
    '07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    '4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658',
    'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
    '46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1',
  ],
  roots: [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ],
};

/** transparency-dev/merkle v0.0.2, testonly/constants.go: NodeHashes of heights 1 and 2. */
const inner = {
  '2-3': '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '4-5': '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
  '6-7': 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  '0-3': 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4-7': '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
};

const referenceLeaves = reference.leaves.map((leaf) => leafHash(Buffer.from(leaf, 'hex')));
const readReference: ReadHash = (_, index) => referenceLeaves[index] ?? Buffer.alloc(0);
const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

describe('the reference tree of Certificate Transparency', () => {
  test('has the published leaf hashes and roots at each size', () => {
    expect(hex(referenceLeaves)).toEqual(reference.leafHashes);
    reference.roots.forEach((root, size) => {
      expect(rootOf(appendLeaves(emptyFrontier, referenceLeaves.slice(0, size)).frontier).toString('hex')).toBe(root);
      expect(treeRoot(size, readReference).toString('hex')).toBe(root);
    });
  });

  // Proofs of the example in RFC 6962, section 2.1.3, on these leaves: trees of 3, 4, 6 and 7 leaves.
  test('has the proofs of the example of RFC 6962', () => {
    const [a, b, c, d] = reference.leafHashes;
    expect(hex(inclusionProof(0, 7, readReference))).toEqual([b, inner['2-3'], expect.stringMatching(/^\w{64}$/)]);
    expect(hex(inclusionProof(3, 7, readReference)).slice(0, 2)).toEqual([c, reference.roots[2]]);
    expect(hex(inclusionProof(4, 7, readReference)).slice(0, 1)).toEqual([reference.leafHashes[5]]);
    expect(hex(inclusionProof(6, 7, readReference))).toEqual([inner['4-5'], inner['0-3']]);
    expect(hex(consistencyProof(3, 7, readReference)).slice(0, 3)).toEqual([c, d, reference.roots[2]]);
    expect(hex(consistencyProof(4, 7, readReference))).toHaveLength(1);
    expect(hex(consistencyProof(6, 7, readReference))).toEqual([inner['4-5'], reference.leafHashes[6], inner['0-3']]);
    expect(hex(consistencyProof(4, 8, readReference))).toEqual([inner['4-7']]);
    expect(hex(consistencyProof(6, 8, readReference))).toEqual([inner['4-5'], inner['6-7'], inner['0-3']]);
    expect(a).toBe(reference.roots[1]);
  });
});

test('a proof needs hashes of the tree alone, and refuses what is outside', () => {
  expect(() => inclusionProof(7, 7, readReference)).toThrow(RangeError);
  expect(() => inclusionProof(-1, 7, readReference)).toThrow(RangeError);
  expect(() => consistencyProof(8, 7, readReference)).toThrow(RangeError);
});

const largest = 70_000;
const tree = testTree(largest);
const rootAt = (size: number): Buffer => treeRoot(size, tree.read);
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 600 }),
  fc.integer({ min: 1, max: largest }),
  fc.constantFrom(255, 256, 257, 65_535, 65_536),
);
const upTo = (last: number) => fc.oneof(fc.constantFrom(0, last), fc.integer({ min: 0, max: last }));

describe(`at any size (seed ${seed})`, () => {
  test('the root read from tiles is that of the definition', () => {
    expect(rootAt(largest)).toEqual(tree.root);
    expect(testTree(257).root).toEqual(rootAt(257));
  });

  test('appending in any batches gives the root and the nodes of one append', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 2_000 }), { maxLength: 8 });
    const whole = appendLeaves(emptyFrontier, tree.leaves.slice(0, 2_000));
    fc.assert(
      fc.property(cuts, (found) => {
        const nodes = [];
        let frontier = emptyFrontier;
        for (const end of [...found.sort((a, b) => a - b), 2_000]) {
          const grown = appendLeaves(frontier, tree.leaves.slice(frontier.size, end));
          expect(isFrontier(grown.frontier)).toBe(true);
          expect(rootOf(grown.frontier)).toEqual(rootAt(end));
          nodes.push(...grown.nodes);
          frontier = grown.frontier;
        }
        expect(nodes).toEqual(whole.nodes);
      }),
      { seed, numRuns: 50 },
    );
  });

  test('each inclusion proof verifies, and none with an altered bit', () => {
    fc.assert(
      fc.property(
        sizes.chain((size) => fc.tuple(fc.constant(size), upTo(size - 1))),
        fc.nat(),
        ([size, index], bit) => {
          const proof = inclusionProof(index, size, (level, at) => onlyNamed(hashesOfInclusion(index, size), level, at));
          const given = { index, leaf: tree.leaves[index] as Buffer, size, root: rootAt(size), proof };
          expect(verifyInclusion(given)).toBe(true);
          const hashes = [given.leaf, given.root, ...proof];
          const [leaf, root, ...rest] = flipped(hashes, bit) as [Buffer, Buffer];
          expect(verifyInclusion({ ...given, leaf, root, proof: rest })).toBe(false);
          expect(verifyInclusion({ ...given, proof: [...proof, given.root] })).toBe(false);
          if (proof.length > 0) expect(verifyInclusion({ ...given, proof: proof.slice(1) })).toBe(false);
          // Any other position fails: only one leaf of the tree has these bytes.
          const other = (index + 1 + (bit % size)) % size;
          if (other !== index) expect(verifyInclusion({ ...given, index: other })).toBe(false);
        },
      ),
      { seed, numRuns: 400 },
    );
  });

  test('each consistency proof verifies, and none with an altered bit', () => {
    fc.assert(
      fc.property(
        sizes.chain((size) => fc.tuple(fc.constant(size), upTo(size))),
        fc.nat(),
        ([size, first], bit) => {
          const proof = consistencyProof(first, size, (level, at) => onlyNamed(hashesOfConsistency(first, size), level, at));
          const given = { first: { size: first, root: rootAt(first) }, second: { size, root: rootAt(size) }, proof };
          expect(verifyConsistency(given)).toBe(true);
          // The empty tree begins every tree, so nothing is said about the second root.
          const hashes = [given.first.root, ...(first === 0 ? [] : [given.second.root]), ...proof];
          const [one, two, ...rest] = flipped(hashes, bit) as [Buffer, Buffer?];
          const altered = { first: { size: first, root: one }, second: { size, root: two ?? given.second.root }, proof: rest };
          expect(verifyConsistency(altered)).toBe(false);
          expect(verifyConsistency({ ...given, proof: [...proof, given.second.root] })).toBe(false);
          if (proof.length > 0) expect(verifyConsistency({ ...given, proof: proof.slice(1) })).toBe(false);
        },
      ),
      { seed, numRuns: 400 },
    );
  });

  test('the root needs only the hashes that are named for it', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        expect(treeRoot(size, (level, at) => onlyNamed(hashesOfRoot(size), level, at))).toEqual(rootAt(size));
      }),
      { seed, numRuns: 50 },
    );
  });
});

function onlyNamed(spans: readonly HashSpan[], level: number, index: number): Buffer {
  const isNamed = spans.some((span) => span.level === level && index >= span.first && index < span.first + span.count);
  if (!isNamed) throw new Error(`hash ${level}/${index} is not named`);
  return tree.read(level, index);
}

function flipped(hashes: readonly Buffer[], bit: number): Buffer[] {
  const at = bit % (hashes.length * 256);
  return hashes.map((hash, n) => {
    if (n !== Math.floor(at / 256)) return hash;
    const copy = Buffer.from(hash);
    copy[Math.floor((at % 256) / 8)] = (copy[Math.floor((at % 256) / 8)] ?? 0) ^ (1 << (at % 8));
    return copy;
  });
}
