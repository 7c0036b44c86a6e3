/** Hashes of a full tile. */
export const tileWidth = 256;

/** A tile of C2SP tlog-tiles: hashes of one level, or the leaves themselves. */
export interface Tile {
  /** 0 to 63, or `entries`. */
  readonly level: number | 'entries';
  /** From 0, of tiles of this level. */
  readonly index: number;
  /** 1 to 256; below 256 the tile is partial. */
  readonly width: number;
}

/** As `tile/0/x001/x234/067.p/8`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0');
  const groups = digits.match(/\d{3}/g) ?? [];
  const path = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

/** Undefined for a path in any other form than that of `tilePath`. */
export function parseTilePath(path: string): Tile | undefined {
  const match = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path);
  if (match === null) return undefined;
  const [, level = '', groups = '', width] = match;
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  };
  const isKnown = (tile.level === 'entries' || tile.level < 64) && Number.isSafeInteger(tile.index) && tile.width > 0;
  return isKnown && tilePath(tile) === path ? tile : undefined;
}

/** How many hashes a tile has in a tree of `size` leaves: 0 to 256. */
export function widthOf({ level, index }: Pick<Tile, 'level' | 'index'>, size: number): number {
  const hashes = Math.floor(size / tileWidth ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth));
}

/** The content of `tile/entries/…`. Throws a RangeError for a leaf of 64 kB or more. */
export function entryBundle(leaves: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    leaves.flatMap((leaf) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(leaf.length);
      return [length, leaf];
    }),
  );
}
