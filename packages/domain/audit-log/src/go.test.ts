import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  appendLeaves,
  consistencyProof,
  cosignNote,
  createSignerKey,
  emptyFrontier,
  inclusionProof,
  leafHash,
  type ReadHash,
  signCheckpoint,
  tilePath,
  tileWidth,
  treeRoot,
  widthOf,
} from './index.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
// A machine without Go says what it left out; the other tests of the package need nothing.
const withGo = describe.skipIf(!hasGo && process.env['CI'] === undefined);

const origin = 'example.com/weir';
const signers = [1, 2].map((seed) => createSignerKey(origin, Buffer.alloc(32, seed)));
const witness = createSignerKey('witness.example.com/w1', Buffer.alloc(32, 3), 'cosignature');

withGo('what Weir signs and proves is verified by the libraries of Go (golang.org/x/mod, transparency-dev/formats)', () => {
  let folder: string;
  let verifier: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-verifier-'));
    verifier = join(folder, 'verifier');
    execFileSync('go', ['build', '-o', verifier, '.'], { cwd: join(import.meta.dirname, '..', 'verifier'), stdio: 'pipe' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (input: object) => spawnSync(verifier, { input: JSON.stringify(input), encoding: 'utf8' });

  test.each([1, 2, 255, 256, 257, 1_000, 70_000])('a tree of %d leaves', (size) => {
    const input = inputOf(size);
    expect(run(input)).toMatchObject({ stderr: '', status: 0 });
  });

  test('and an altered tile, proof or checkpoint is not', () => {
    const input = inputOf(300);
    const altered = (path: string): object => ({ ...input, tiles: { ...input.tiles, [path]: flipped(input.tiles[path] ?? '') } });
    expect(run(altered('tile/0/001.p/44')).status).toBe(1);
    expect(run(altered('tile/0/000')).status).toBe(1);
    expect(run({ ...input, inclusion: input.inclusion.map((proof) => ({ ...proof, index: (proof.index + 1) % 300 })) }).status).toBe(1);
    expect(run({ ...input, checkpoint: input.checkpoint.replace('\n300\n', '\n301\n') }).status).toBe(1);
  });
});

/** As the verifier reads it; bytes are base64. */
function inputOf(size: number) {
  const { leaves, read } = treeOf(size);
  const base64 = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));
  const some = [...new Set([0, 1, 254, 255, 256, Math.floor(size / 3), Math.floor(size / 2), size - 2, size - 1])];
  const root = treeRoot(size, read);
  return {
    checkpoint: cosignNote(signCheckpoint({ origin, size, root }, signers), witness, 1_679_315_147),
    keys: signers.map(({ verifier }) => verifier.text),
    witness_keys: [witness.verifier.text],
    tiles: tilesOf(size, read),
    inclusion: some
      .filter((index) => index >= 0 && index < size)
      .map((index) => ({ index, leaf: leaves[index]?.toString('base64'), proof: base64(inclusionProof(index, size, read)) })),
    consistency: some
      .map((index) => index + 1)
      .filter((first) => first > 0 && first <= size)
      .map((first) => ({
        size: first,
        root: treeRoot(first, read).toString('base64'),
        proof: base64(consistencyProof(first, size, read)),
      })),
  };
}

function treeOf(size: number): { leaves: Buffer[]; read: ReadHash } {
  const leaves = Array.from({ length: size }, (_, n) => Buffer.from(`leaf ${n}`));
  const hashes = leaves.map(leafHash);
  const inner = new Map(appendLeaves(emptyFrontier, hashes).nodes.map(({ level, index, hash }) => [`${level}/${index}`, hash]));
  return { leaves, read: (level, index) => (level === 0 ? hashes[index] : inner.get(`${level}/${index}`)) ?? Buffer.alloc(0) };
}

function tilesOf(size: number, read: ReadHash): Record<string, string> {
  const tiles: Record<string, string> = {};
  for (let level = 0; widthOf({ level, index: 0 }, size) > 0; level++)
    for (let index = 0, width = 1; width > 0; index++) {
      width = widthOf({ level, index }, size);
      const hashes = Array.from({ length: width }, (_, n) => read(level, index * tileWidth + n));
      if (width > 0) tiles[tilePath({ level, index, width })] = Buffer.concat(hashes).toString('base64');
    }
  return tiles;
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
}
