import type { Movement } from '../store.ts';

/** Each movement once, though both of its addresses list it. By transaction, because a joined key for each would take most of a score. */
export class MovementSet {
  readonly #byTransaction = new Map<string, Movement[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False: it is known. */
  add(movement: Movement): boolean {
    const others = this.#byTransaction.get(movement.tx);
    if (others === undefined) this.#byTransaction.set(movement.tx, [movement]);
    else if (others.some((other) => isSame(other, movement))) return false;
    else others.push(movement);
    this.#size++;
    return true;
  }

  values(): Movement[] {
    return [...this.#byTransaction.values()].flat();
  }
}

function isSame(a: Movement, b: Movement): boolean {
  return a.position === b.position && a.from === b.from && a.to === b.to && a.coin === b.coin;
}
