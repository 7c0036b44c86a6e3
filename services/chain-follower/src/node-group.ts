import { type Block, type BlockRange, NodeError } from '@weir/chain-import';
import { backoff, type Clock } from '@weir/clock';
import type { ChainNode } from './chain-node.ts';

/** How long a node that failed or contradicted the others is not asked. */
const leftFor = { firstMs: 2_000, longestMs: 60_000 };

interface Member {
  readonly node: ChainNode;
  failures: number;
  leftUntil: number;
}

export interface NodeGroupOptions {
  readonly clock: Clock;
  readonly nodes: readonly ChainNode[];
  readonly onLeft: (node: string, reason: string) => void;
}

/** The nodes of one chain. More than half of those that answer must agree. */
export class NodeGroup {
  readonly #clock: Clock;
  readonly #members: readonly Member[];
  readonly #onLeft: NodeGroupOptions['onLeft'];

  constructor({ clock, nodes, onLeft }: NodeGroupOptions) {
    this.#clock = clock;
    this.#members = nodes.map((node) => ({ node, failures: 0, leftUntil: Number.NEGATIVE_INFINITY }));
    this.#onLeft = onLeft;
  }

  /** The newest height that more than half of the nodes have. */
  async head(): Promise<number> {
    const heights = (await this.#askAll((node) => node.head())).map(({ answer }) => answer).toSorted((a, b) => b - a);
    return heights[Math.floor(heights.length / 2)] ?? 0;
  }

  /** Undefined: more than half have no block there. Nodes with another block are left. Throws when no hash has more than half. */
  async hashAt(height: number): Promise<string | undefined> {
    const answers = await this.#askAll((node) => node.hashAt(height));
    const votes = Map.groupBy(answers, ({ answer }) => answer);
    const agreed = [...votes].find(([, of]) => of.length * 2 > answers.length);
    if (agreed === undefined) throw new NodeError(`the nodes do not agree on block ${height}`);
    const [hash] = agreed;
    for (const { member, answer } of answers)
      if (answer !== hash && answer !== undefined) this.#leave(member, `its block ${height} is not that of the others`);
    return hash;
  }

  /** The blocks of one node, up to a block that more than half have. A node that fails, or has another block, is left for the next. */
  async blocks(range: BlockRange): Promise<readonly Block[]> {
    const agreed = await this.hashAt(range.to);
    if (agreed === undefined) throw new NodeError(`most nodes do not have block ${range.to}`);
    let last: unknown;
    for (const member of this.#available()) {
      try {
        const blocks = await member.node.blocks(range);
        if (isLinked(blocks, agreed)) return this.#answered(member, blocks);
        this.#leave(member, `its blocks ${range.from} to ${range.to} are not those of the others`);
      } catch (error) {
        last = error;
        this.#failed(member, error);
      }
    }
    throw last ?? new NodeError(`no node has blocks ${range.from} to ${range.to} as the others do`);
  }

  /** Answers of those that give one. Throws the last error when none does. */
  async #askAll<T>(ask: (node: ChainNode) => Promise<T>): Promise<{ member: Member; answer: T }[]> {
    let last: unknown;
    const asked = this.#available().map(async (member) => {
      try {
        return [{ member, answer: this.#answered(member, await ask(member.node)) }];
      } catch (error) {
        last = error;
        this.#failed(member, error);
        return [];
      }
    });
    const answers = (await Promise.all(asked)).flat();
    if (answers.length === 0) throw last ?? new NodeError('there is no node');
    return answers;
  }

  /** All, when every node is left: one may be back. */
  #available(): readonly Member[] {
    const now = this.#clock.monotonic();
    const some = this.#members.filter(({ leftUntil }) => leftUntil <= now);
    return some.length === 0 ? this.#members : some;
  }

  #answered<T>(member: Member, answer: T): T {
    if (member.leftUntil <= this.#clock.monotonic()) member.failures = 0;
    return answer;
  }

  #failed(member: Member, error: unknown): void {
    if (!(error instanceof NodeError)) throw error;
    this.#leave(member, error.message);
  }

  #leave(member: Member, reason: string): void {
    member.failures += 1;
    member.leftUntil = this.#clock.monotonic() + backoff(member.failures, leftFor);
    this.#onLeft(member.node.name, reason);
  }
}

/** A hash names the block before it, so agreement on the last block is agreement on all. */
function isLinked(blocks: readonly Block[], last: string): boolean {
  return blocks.at(-1)?.hash === last && blocks.every((block, n) => n === 0 || block.parentHash === blocks[n - 1]?.hash);
}
