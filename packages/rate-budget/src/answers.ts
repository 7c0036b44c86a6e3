/** So many of the last answers are looked at. */
const remembered = 100;
/** With fewer the shortest may be long. */
const enough = 10;

/**
 * How late a call arrived, told from how long its answer took. Of the shortest of many answers it is reckoned that nothing held up the call; what another
 * took longer may all have been spent before it arrived. Of few answers nothing is reckoned: all of their time may have been.
 */
export class Answers {
  readonly #recent: number[] = [];

  /** `tookMs`: from the sending to the answer. The most that the call arrived later than a call which nothing holds up. */
  delayOf(tookMs: number): number {
    this.#recent.push(tookMs);
    if (this.#recent.length > remembered) this.#recent.shift();
    return this.#recent.length < enough ? tookMs : tookMs - Math.min(...this.#recent);
  }
}
