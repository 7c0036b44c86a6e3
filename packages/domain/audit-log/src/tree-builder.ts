import { appendLeaves, emptyFrontier, type Frontier, rootOf, type TileNode } from './frontier.ts';

/** Builds a tree leaf by leaf, and keeps its root at some sizes. */
export class TreeBuilder {
  readonly #wanted: ReadonlySet<number>;
  readonly #roots = new Map<number, Buffer>();
  #frontier: Frontier = emptyFrontier;

  /** `sizes` at which the root is kept. */
  constructor(sizes: readonly number[]) {
    this.#wanted = new Set(sizes);
    this.#keepRoot();
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  /** Roots by size, as far as the tree has grown. */
  get roots(): ReadonlyMap<number, Buffer> {
    return this.#roots;
  }

  /** Returns the inner hashes that the leaf completes. */
  add(leaf: Buffer): readonly TileNode[] {
    const { frontier, nodes } = appendLeaves(this.#frontier, [leaf]);
    this.#frontier = frontier;
    this.#keepRoot();
    return nodes;
  }

  #keepRoot(): void {
    if (this.#wanted.has(this.#frontier.size)) this.#roots.set(this.#frontier.size, rootOf(this.#frontier));
  }
}
