/** So many of the last answers go into one shortest, and so many of those are kept: nearly a minute at 100 a second, eight at 10. */
const inRun = 100;
const mostRuns = 50;
/** With fewer the shortest may be long. */
const enough = 10;

/**
 * How late a call arrived, told from how long its answer took. Of the shortest of many answers it is reckoned that nothing held up the call; what another
 * took longer may all have been spent before it arrived. Of few answers nothing is reckoned: all of their time may have been.
 *
 * Many is thousands: calls that are all held up for some seconds must not pass for usual, for those that come after may not be held up.
 */
export class Answers {
  /** The shortest of each run of answers, the newest run last. */
  readonly #shortest: number[] = [];
  #heard = 0;

  /** `tookMs`: from the sending to the answer. The most that the call arrived later than a call which nothing holds up. */
  delayOf(tookMs: number): number {
    if (this.#heard++ % inRun === 0) this.#shortest.push(tookMs);
    if (this.#shortest.length > mostRuns) this.#shortest.shift();
    const last = this.#shortest.length - 1;
    this.#shortest[last] = Math.min(this.#shortest[last] ?? tookMs, tookMs);
    return this.#heard < enough ? tookMs : tookMs - Math.min(...this.#shortest);
  }
}
