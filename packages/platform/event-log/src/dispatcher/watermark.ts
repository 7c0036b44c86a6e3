/**
 * What of one partition is complete. The watermark is the offset up to which (exclusive) everything delivered is complete,
 * whatever the order of completions was. Memory is that of the incomplete records alone.
 */
export class WatermarkTracker {
  /** In order of delivery, so the first one is the lowest. */
  readonly #incomplete = new Set<bigint>();
  #next: bigint;

  /** `from`: the offset to start at; everything below it is complete. */
  constructor(from: bigint) {
    this.#next = from;
  }

  /** Takes note of a record. Offsets must grow; they may have gaps. */
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
