import { type Block, type BlockRange, NodeError, type TransferRow } from '@weir/chain-import';
import {
  beginFollowing,
  type FollowedChain,
  type ImportObserver,
  keptHashes,
  readFollowedChain,
  recordCaughtUp,
  recordHead,
  type RemovedBlocks,
  removeBlocks,
  storeBlocks,
  UnlinkedBlock,
} from '@weir/chain-store';
import type { Chain } from '@weir/chains';
import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { NodeGroup } from './node-group.ts';
import type { Watching } from './watching/watching.ts';

export interface ChainFollowerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly chain: Chain;
  readonly nodes: NodeGroup;
  readonly firstBlock: number | undefined;
  readonly confirmations: number;
  readonly observer: ImportObserver;
  readonly watching?: Watching;
  /** Gives a transfer its value in USD, where a price is known. */
  readonly valued?: (row: TransferRow) => TransferRow;
  readonly onStored?: (blocks: number, rejected: readonly string[]) => void;
  readonly onRemoved?: (removed: RemovedBlocks) => void;
}

/** Larger batches make a block cheaper; these bound the memory, and the time until a stop. */
const batch = { first: 4, most: 128, quickMs: 1_500, slowMs: 6_000, mostRows: 50_000 };

const done = Promise.resolve();

/** Follows one chain. Its state is in the database alone, so that any process may go on after any other. */
export class ChainFollower {
  readonly #options: ChainFollowerOptions;
  #batch = batch.first;

  constructor(options: ChainFollowerOptions) {
    this.#options = options;
  }

  /** Stores the next blocks, or takes a reorganisation back. True: more is waiting. */
  async step(): Promise<boolean> {
    const { pool, clock, chain } = this.#options;
    const begun = new Date(clock.now());
    const more = await this.#advance();
    if (!more) await recordCaughtUp(pool, chain, begun);
    return more;
  }

  async #advance(): Promise<boolean> {
    const { pool, clock, chain, nodes, confirmations } = this.#options;
    const head = await nodes.head();
    const target = head - confirmations;
    const state = await this.#state(target);
    if (state === undefined) return false;
    await recordHead(pool, chain, head, new Date(clock.now()));
    const from = state.height === null ? state.firstBlock : state.height + 1;
    if (from > target) return this.#takeBack(state, head);
    const to = Math.min(target, from + this.#batch - 1);
    const isTakenBack = await this.#store(state, { from, to }, head);
    return isTakenBack || to < target;
  }

  async #state(target: number): Promise<FollowedChain | undefined> {
    const { pool, chain, firstBlock = target } = this.#options;
    const known = await readFollowedChain(pool, chain);
    if (known !== undefined) return known;
    if (firstBlock < 0) return undefined;
    await beginFollowing(pool, chain, firstBlock);
    return readFollowedChain(pool, chain);
  }

  /** True: the nodes took stored blocks back instead. */
  async #store(state: FollowedChain, range: BlockRange, head: number): Promise<boolean> {
    const { pool, clock, nodes, observer, watching, valued = (row) => row, onStored } = this.#options;
    const begun = clock.monotonic();
    try {
      const blocks = (await nodes.blocks(range)).map((block) => ({ ...block, rows: block.rows.map(valued) }));
      const { rejected } = await storeBlocks(pool, state, blocks, observer, (tx) => watching?.stored(tx, blocks) ?? done);
      await watching?.committed();
      this.#adapt(range, clock.monotonic() - begun, blocks);
      onStored?.(blocks.length, rejected);
      return false;
    } catch (error) {
      this.#batch = Math.max(1, Math.floor(this.#batch / 2));
      if (!(error instanceof UnlinkedBlock)) throw error;
      if (await this.#takeBack(state, head)) return true;
      throw new NodeError(error.message, { cause: error });
    }
  }

  #adapt({ from, to }: BlockRange, tookMs: number, blocks: readonly Block[]): void {
    const rows = blocks.reduce((sum, block) => sum + block.rows.length, 0);
    const isFull = to - from + 1 >= this.#batch;
    if (tookMs > batch.slowMs || rows > batch.mostRows) this.#batch = Math.max(1, Math.floor(this.#batch / 2));
    else if (isFull && tookMs < batch.quickMs && rows * 2 <= batch.mostRows) this.#batch = Math.min(batch.most, this.#batch * 2);
  }

  /** Compares the last stored block with that of the nodes. True: blocks were removed. */
  async #takeBack(state: FollowedChain, head: number): Promise<boolean> {
    const { pool, chain, nodes, observer, watching, onRemoved } = this.#options;
    if (state.height === null) return false;
    const isSame = async ({ height, hash }: { height: number; hash: string | null }): Promise<boolean> =>
      (await nodes.hashAt(height)) === hash;
    if (state.height <= head && (await isSame({ height: state.height, hash: state.hash }))) return false;
    // After a reorganisation the chain may be shorter for a while. A chain that is shorter and the same took nothing back.
    const kept = (await keptHashes(pool, chain)).filter(({ height }) => height <= head);
    const top = kept.at(-1);
    if (top === undefined || (await isSame(top))) return false;
    // A hash names the block before it, so below an agreed block all are agreed.
    let [below, above] = [-1, kept.length - 1];
    while (above - below > 1) {
      const middle = (below + above) >> 1;
      const block = kept[middle];
      if (block !== undefined && (await isSame(block))) below = middle;
      else above = middle;
    }
    const lowest = kept[0]?.height ?? 0;
    if (below < 0 && lowest > state.firstBlock)
      throw new NodeError(`the nodes have another block ${lowest}, the lowest that is kept: the reorganisation cannot be taken back`);
    const height = kept[below]?.height ?? state.firstBlock - 1;
    const removed = await removeBlocks(pool, state, height, observer, (tx) => watching?.removed(tx, height) ?? done);
    await watching?.committed();
    onRemoved?.(removed);
    return true;
  }
}
