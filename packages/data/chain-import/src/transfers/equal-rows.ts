import { createHash } from 'node:crypto';

const firstSlots = 1_024;

/** Counts the equal rows of one file. A file has millions, so each takes one number: 48 bits of its hash. */
export class EqualRows {
  #slots = new Float64Array(firstSlots);
  #taken = 0;
  readonly #repeats = new Map<number, number>();

  /** The equal rows before this one. Ignores upper and lower case, as in hex addresses. */
  before(content: readonly (string | null)[]): number {
    const key = keyOf(content);
    if (this.#isNew(key)) return 0;
    const count = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, count);
    return count;
  }

  #isNew(key: number): boolean {
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] === key) return false;
    this.#slots[slot] = key;
    this.#taken += 1;
    if (this.#taken * 3 > this.#slots.length * 2) this.#grow();
    return true;
  }

  #grow(): void {
    const slots = new Float64Array(this.#slots.length * 2);
    for (const key of this.#slots) if (key !== 0) slots[slotOf(slots, key)] = key;
    this.#slots = slots;
  }
}

/** Not 0, which marks a free slot. */
function keyOf(content: readonly (string | null)[]): number {
  return createHash('sha256').update(JSON.stringify(content).toLowerCase()).digest().readUIntBE(0, 6) + 1;
}

/** The key's slot, or the free one for it. */
function slotOf(slots: Float64Array, key: number): number {
  let slot = key % slots.length;
  while (slots[slot] !== 0 && slots[slot] !== key) slot = (slot + 1) % slots.length;
  return slot;
}
