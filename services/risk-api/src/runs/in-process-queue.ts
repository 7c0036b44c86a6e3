import { activeSpan, runWithin } from '@weir/tracing';

export interface InProcessQueueOptions {
  /** Concurrent runs; 0: this process takes none. */
  readonly concurrency: number;
  /** Runs that may wait for a worker here. */
  readonly mostWaiting: number;
  readonly work: (runId: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** A run ended without an error, and none waits here. */
  readonly onFree?: () => void;
}

/** Runs on this process's workers. Bounded; like a queue, it may lose all that wait. */
export class InProcessQueue {
  readonly #o: InProcessQueueOptions;
  /** With the span that wants each. */
  readonly #waiting = new Map<string, ReturnType<typeof activeSpan>>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(options: InProcessQueueOptions) {
    this.#o = options;
  }

  get freeWorkers(): number {
    return Math.max(0, this.#o.concurrency - this.#underWay.size - this.#waiting.size);
  }

  /** False when there is no room. A run that is already here is not taken twice. */
  offer(runId: string): boolean {
    if (this.#waiting.has(runId) || this.#underWay.has(runId)) return true;
    const { concurrency, mostWaiting } = this.#o;
    if (concurrency === 0 || this.#waiting.size + this.#underWay.size >= concurrency + mostWaiting) return false;
    this.#waiting.set(runId, activeSpan());
    this.#begin();
    return true;
  }

  /** Drops what waits. Resolves when the runs in progress have ended. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#underWay.values());
  }

  #begin(): void {
    for (const [runId, cause] of this.#waiting) {
      if (this.#underWay.size >= this.#o.concurrency) return;
      this.#waiting.delete(runId);
      this.#underWay.set(
        runId,
        runWithin(cause, () => this.#run(runId)),
      );
    }
  }

  async #run(runId: string): Promise<void> {
    const isDone = await this.#o.work(runId).then(
      () => true,
      (error: unknown) => {
        this.#o.onError(error);
        return false;
      },
    );
    this.#underWay.delete(runId);
    this.#begin();
    if (isDone && this.#waiting.size === 0) this.#o.onFree?.();
  }
}
