import { mostGrantLateMs } from './budget.ts';

/** Stale grants in a row that start the exception. */
const staleInRow = 5;
const promptInRow = 100;

/** Learns the extra lateness that a process must request from the age of its grants. */
export class Lateness {
  readonly #usualMs: number;
  #ms = 0;
  #stale: number[] = [];
  #prompt = 0;

  /** `usualMs`: the age up to which a grant needs no requested lateness. */
  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Records a grant's age. Returns whether it may still be sent. */
  record(ageMs: number, askedMs: number): boolean {
    const stale = ageMs > this.#usualMs + askedMs;
    this.#prompt = ageMs <= this.#usualMs ? this.#prompt + 1 : 0;
    this.#stale = stale ? [...this.#stale, ageMs] : [];
    if (this.#prompt >= promptInRow) this.#ms = 0;
    if (this.#stale.length >= staleInRow) this.#adapt();
    return !stale;
  }

  /** 1.5 times the median age, or 0 if the maximum is too little: it would slow everybody for nothing. */
  #adapt(): void {
    const middleMs = this.#stale.toSorted((a, b) => a - b)[Math.floor(staleInRow / 2)] ?? 0;
    this.#stale = [];
    this.#ms = middleMs > this.#usualMs + mostGrantLateMs ? 0 : Math.min(1.5 * middleMs - this.#usualMs, mostGrantLateMs);
  }
}
