/** Keeps at least the last `most / 2` distinct keys. It drops the older of two halves, because deleting from the front makes a Map slow. */
export class BoundedMap<V> {
  readonly #most: number;
  #recent = new Map<string, V>();
  #before = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

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
