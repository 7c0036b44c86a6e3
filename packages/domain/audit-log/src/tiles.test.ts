import { describe, expect, test } from 'vitest';
import { entryBundle, parseTilePath, type Tile, tilePath, widthOf } from './index.ts';

describe('the path of a tile', () => {
  test.each<[string, Tile]>([
    // The example of C2SP tlog-tiles.
    ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['tile/0/000.p/1', { level: 0, index: 0, width: 1 }],
    ['tile/5/x123/x456/078.p/2', { level: 5, index: 123_456_078, width: 2 }],
    ['tile/entries/x003/x057/500', { level: 'entries', index: 3_057_500, width: 256 }],
    ['tile/63/999.p/255', { level: 63, index: 999, width: 255 }],
  ])('%s is written and read', (path, tile) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  // The first two are of golang.org/x/mod v0.42.0, sumdb/tlog/tlog_test.go.
  test.each([
    'tile/5/123/456/078',
    'tile/-1/123/456/078',
    'tile/64/000',
    'tile/00/000',
    'tile/0/x000/001',
    'tile/0/1',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/data/000',
    'tile/0/000/',
    'tile/0/x999/x999/x999/x999/x999/x999/999',
  ])('%s is refused', (path) => expect(parseTilePath(path)).toBeUndefined());
});

// The two examples of C2SP tlog-tiles.
test('a tree of 70,000 leaves has the tiles of the specification', () => {
  const width = (level: number, index: number, size = 70_000) => widthOf({ level, index }, size);
  expect([width(0, 272), width(0, 273), width(0, 274)]).toEqual([256, 112, 0]);
  expect([width(1, 0), width(1, 1), width(1, 2)]).toEqual([256, 17, 0]);
  expect([width(2, 0), width(3, 0), widthOf({ level: 'entries', index: 273 }, 70_000)]).toEqual([1, 0, 112]);
  expect([width(0, 0, 256), width(1, 0, 256)]).toEqual([256, 1]);
});

test('a bundle has each entry behind its length', () => {
  expect(
    entryBundle([Buffer.from('ab'), Buffer.alloc(0), Buffer.alloc(300, 1)])
      .subarray(0, 8)
      .toString('hex'),
  ).toBe('000261620000012c');
  expect(() => entryBundle([Buffer.alloc(65_536)])).toThrow(RangeError);
});
