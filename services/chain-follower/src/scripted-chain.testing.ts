import type { Block, TransferRow } from '@weir/chain-import';
import type { ChainNode } from './chain-node.ts';

const hex = (n: number, digits: number): string => `0x${n.toString(16).padStart(digits, '0')}`;

/** A chain that a test writes. Its blocks have the hashes of a counter. */
export class ScriptedChain {
  readonly #blocks: Block[] = [];
  #hashes = 0;

  constructor() {
    this.mine([]);
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  mine(rows: readonly Omit<TransferRow, 'chain' | 'time' | 'source'>[]): void {
    const height = this.#blocks.length;
    this.#hashes += 1;
    const hash = hex(this.#hashes, 64);
    const time = new Date(1_700_000_000_000 + height * 12_000).toISOString();
    const parentHash = this.#blocks[height - 1]?.hash ?? hex(0, 64);
    this.#blocks.push({ height, hash, parentHash, time, rows: rows.map((row) => ({ ...row, chain: 'ethereum', time, source: 'node' })) });
  }

  /** Removes the newest blocks; never the first. Returns their transfers. */
  takeBack(depth: number): TransferRow[] {
    return this.#blocks.splice(Math.max(1, this.#blocks.length - depth)).flatMap(({ rows }) => rows);
  }

  blocks(from: number, to: number): Block[] {
    return this.#blocks.slice(from, to + 1);
  }

  node(name: string): ChainNode {
    return {
      name,
      head: async () => this.head,
      hashAt: async (height) => this.#blocks[height]?.hash,
      blocks: async ({ from, to }) => this.blocks(from, to),
    };
  }
}

export const addressOf = (n: number): string => hex(0xa0 + n, 40);
export const txidOf = (n: number): string => hex(n, 64);
