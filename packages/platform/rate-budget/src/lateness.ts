import { mostLateMs } from './budget.ts';

/** So many stale grants in a row are no accident. */
const staleInRow = 5;
/** So many grants in time, one after another, end the exception. */
const promptInRow = 100;

/** How much later than usual a process must ask to send, learnt from how old its grants are when they come. */
export class Lateness {
  readonly #usualMs: number;
  #ms = 0;
  #stale: number[] = [];
  #prompt = 0;

  /** `usualMs`: the age up to which a grant may be sent without having been asked for as late. */
  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  get ms(): number {
    return this.#ms;
  }

  /** A grant came that was asked for as `askedMs` late. Tells whether it may still be sent. */
  heard(ageMs: number, askedMs: number): boolean {
    const stale = ageMs > this.#usualMs + askedMs;
    this.#prompt = ageMs <= this.#usualMs ? this.#prompt + 1 : 0;
    this.#stale = stale ? [...this.#stale, ageMs] : [];
    if (this.#prompt >= promptInRow) this.#ms = 0;
    if (this.#stale.length >= staleInRow) this.#adapt();
    return !stale;
  }

  /** To half as much again as the grants' age in the middle. Where even the most would not do, to nothing: it would slow all for no gain. */
  #adapt(): void {
    const middleMs = this.#stale.toSorted((a, b) => a - b)[Math.floor(staleInRow / 2)] ?? 0;
    this.#stale = [];
    this.#ms = middleMs > this.#usualMs + mostLateMs ? 0 : Math.min(1.5 * middleMs - this.#usualMs, mostLateMs);
  }
}
