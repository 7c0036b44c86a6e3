/** Beyond this limit a run stays in its record and is enqueued again later. */
const mostWaiting = 500;

/** Runs in this process the runs that could not be enqueued. Bounded; like a queue, it may lose all of them. */
export class InProcessQueue {
  readonly #concurrency: number;
  readonly #work: (runId: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<string>();
  readonly #underWay = new Set<string>();

  /** `concurrency`: concurrent runs; 0: this process takes none. */
  constructor(options: { concurrency: number; work: (runId: string) => Promise<void>; onError: (error: unknown) => void }) {
    this.#concurrency = options.concurrency;
    this.#work = options.work;
    this.#onError = options.onError;
  }

  /** False when there is no room. A run that is already here is not taken twice. */
  offer(runId: string): boolean {
    if (this.#waiting.has(runId) || this.#underWay.has(runId)) return true;
    if (this.#concurrency === 0 || this.#waiting.size >= mostWaiting) return false;
    this.#waiting.add(runId);
    this.#begin();
    return true;
  }

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
