/**
 * Tracks completion in one partition. The watermark is the exclusive offset below which every delivered record is complete. Memory grows
 * only with incomplete records.
 */
export class WatermarkTracker {
  /** In delivery order, so the first is the lowest. */
  readonly #incomplete = new Set<bigint>();
  #next: bigint;

  /** `from`: the first offset; everything below is complete. */
  constructor(from: bigint) {
    this.#next = from;
  }

  deliver(offset: bigint): void {
    if (offset < this.#next) throw new RangeError(`offset ${offset} after ${this.#next}`);
    this.#next = offset + 1n;
    this.#incomplete.add(offset);
  }

  complete(offset: bigint): void {
    this.#incomplete.delete(offset);
  }

  get watermark(): bigint {
    for (const lowest of this.#incomplete) return lowest;
    return this.#next;
  }
}
