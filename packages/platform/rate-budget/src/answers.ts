/** Answers per run and runs kept: nearly a minute at 100 a second, eight at 10. */
const inRun = 100;
const mostRuns = 50;
/** With fewer answers even the shortest may be long. */
const enough = 10;

/**
 * Estimates a call's lateness from its answer time: the shortest of many answers counts as undelayed. The history spans thousands of
 * answers, so that some seconds of delay do not look normal.
 */
export class Answers {
  /** The shortest answer of each run, newest last. */
  readonly #shortest: number[] = [];
  #count = 0;

  /** `tookMs`: from send to answer. Returns an upper bound of the delay compared with an undelayed call. */
  delayOf(tookMs: number): number {
    if (this.#count++ % inRun === 0) this.#shortest.push(tookMs);
    if (this.#shortest.length > mostRuns) this.#shortest.shift();
    const last = this.#shortest.length - 1;
    this.#shortest[last] = Math.min(this.#shortest[last] ?? tookMs, tookMs);
    return this.#count < enough ? tookMs : tookMs - Math.min(...this.#shortest);
  }
}
