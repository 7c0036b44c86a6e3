/** Answers per run and runs kept: nearly a minute at 100 a second, eight at 10. */
const inRun = 100;
const mostRuns = 50;
/** With fewer answers even the shortest may be long. */
const enough = 10;

/**
 * Estimates how late a call arrived from the time of its answer. The shortest of many answers counts as undelayed; extra time may all have
 * passed before arrival. With few answers the whole time may have.
 *
 * The history spans thousands: calls that are all delayed for some seconds must not look normal, since later calls may be faster.
 */
export class Answers {
  /** The shortest answer of each run, newest last. */
  readonly #shortest: number[] = [];
  #heard = 0;

  /** `tookMs`: from send to answer. Returns an upper bound of the delay compared with an undelayed call. */
  delayOf(tookMs: number): number {
    if (this.#heard++ % inRun === 0) this.#shortest.push(tookMs);
    if (this.#shortest.length > mostRuns) this.#shortest.shift();
    const last = this.#shortest.length - 1;
    this.#shortest[last] = Math.min(this.#shortest[last] ?? tookMs, tookMs);
    return this.#heard < enough ? tookMs : tookMs - Math.min(...this.#shortest);
  }
}
