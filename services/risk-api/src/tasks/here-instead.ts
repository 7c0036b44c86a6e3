/** Runs that wait here at most. What finds no room stays in its record, and is handed out again later. */
const mostWaiting = 500;

/** Carries out in this process what could not be handed to others. Bounded; it may lose all of it, as a queue may. */
export class HereInstead {
  readonly #concurrency: number;
  readonly #work: (runId: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<string>();
  readonly #underWay = new Set<string>();

  /** `concurrency`: runs under way at once; 0: this process takes none. */
  constructor(options: { concurrency: number; work: (runId: string) => Promise<void>; onError: (error: unknown) => void }) {
    this.#concurrency = options.concurrency;
    this.#work = options.work;
    this.#onError = options.onError;
  }

  /** Takes a run, or not: when there is no room. One that is here already is not taken twice. */
  offer(runId: string): boolean {
    if (this.#waiting.has(runId) || this.#underWay.has(runId)) return true;
    if (this.#concurrency === 0 || this.#waiting.size >= mostWaiting) return false;
    this.#waiting.add(runId);
    this.#begin();
    return true;
  }

  /** Begins nothing more. */
  stop(): void {
    this.#waiting.clear();
  }

  #begin(): void {
    for (const runId of this.#waiting) {
      if (this.#underWay.size >= this.#concurrency) return;
      this.#waiting.delete(runId);
      this.#underWay.add(runId);
      void this.#work(runId)
        .catch(this.#onError)
        .finally(() => {
          this.#underWay.delete(runId);
          this.#begin();
        });
    }
  }
}
