import { hashesOfInclusion, inclusionProof, tileWidth, widthOf } from '@weir/audit-log';
import type { Queryable } from '@weir/postgres';
import { readLevel, TreeHashError } from './tree-hashes.ts';

/** Tiles held in memory, of 8 kB each. */
const mostTiles = 1_024;

/** Proves entries of a tree of one size. Neighbours share the tiles that were read. */
export class EntryProver {
  readonly #db: Queryable;
  readonly #size: number;
  readonly #tiles = new Map<string, readonly Buffer[]>();

  constructor(db: Queryable, size: number) {
    this.#db = db;
    this.#size = size;
  }

  /** Hashes from a leaf up to the root (RFC 6962). Rejects with `TreeHashError`. */
  async prove(index: number): Promise<Buffer[]> {
    if (this.#tiles.size > mostTiles) this.#tiles.clear();
    for (const { level, first, count } of hashesOfInclusion(index, this.#size))
      for (let tile = Math.floor(first / tileWidth); tile * tileWidth < first + count; tile += 1) await this.#load(level, tile);
    return inclusionProof(index, this.#size, (level, at) => this.#read(level, at));
  }

  async #load(level: number, index: number): Promise<void> {
    const key = `${level}/${index}`;
    if (this.#tiles.has(key)) return;
    const count = widthOf({ level, index }, this.#size);
    this.#tiles.set(key, await readLevel(this.#db, { level, first: index * tileWidth, count }));
  }

  #read(level: number, at: number): Buffer {
    const hash = this.#tiles.get(`${level}/${Math.floor(at / tileWidth)}`)?.[at % tileWidth];
    if (hash === undefined) throw new TreeHashError(`the hash ${level}/${at} was not read`);
    return hash;
  }
}
