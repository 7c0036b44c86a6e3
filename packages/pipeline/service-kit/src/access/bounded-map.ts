/**
 * A map that forgets: at least the last `most / 2` different keys that were set are there, and never more than `most`. Two halves, of which the older
 * is dropped whole; a Map that is emptied from its front gets slow.
 */
export class BoundedMap<V> {
  readonly #most: number;
  #recent = new Map<string, V>();
  #before = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Keys that are held, those in both halves twice. */
  get size(): number {
    return this.#recent.size + this.#before.size;
  }

  get(key: string): V | undefined {
    return this.#recent.get(key) ?? this.#before.get(key);
  }

  set(key: string, value: V): void {
    this.#recent.set(key, value);
    if (this.#recent.size >= this.#most / 2) [this.#before, this.#recent] = [this.#recent, new Map()];
  }
}
