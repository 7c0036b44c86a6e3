/** Sets that only merge. A key that was never joined is a set of its own. */
export class DisjointSets<Key> {
  readonly #parents = new Map<Key, Key>();
  readonly #sizes = new Map<Key, number>();

  join(a: Key, b: Key): void {
    const [one, other] = [this.find(a), this.find(b)];
    if (one === other) return;
    const [oneSize, otherSize] = [this.#sizes.get(one) ?? 1, this.#sizes.get(other) ?? 1];
    const [root, child] = oneSize >= otherSize ? [one, other] : [other, one];
    this.#parents.set(child, root);
    this.#sizes.set(root, oneSize + otherSize);
  }

  /** The set's key that stands for it until the next join. */
  find(key: Key): Key {
    let at = key;
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      const next = this.#parents.get(parent);
      // Halves the path, so that later searches are short.
      if (next !== undefined) this.#parents.set(at, next);
      at = parent;
    }
    return at;
  }
}
